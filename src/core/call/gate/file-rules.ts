import type { Db } from '../../../db/schema.ts'
import { findSettledRules } from '../../../db/worker/agents.ts'
import {
  findPermissions,
  replacePermissions,
  seedPermissions,
} from '../../../db/worker/worker-permissions.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import { assertRulesText, assertWorkerName } from '../../../domain/rules-text.ts'
import type { PermissionsStore } from '../../../ports/permissions-store.ts'
import { type GateFacts, reachOf } from '../../../rules/gate/gate.ts'
import { denyGlobs } from '../../../rules/gate/paths/judged-paths.ts'
import type { JobHeader } from '../../../rules/jobs/contract.ts'
import type { ToolSpec } from '../../../rules/tools/tool-spec.ts'
import type { CallContext } from './call-context.ts'

/**
 * Milliseconds after which a difference counts: agents see a change in a shared directory within a heartbeat, or a minute on a
 * network file system that caches attributes.
 */
const settledMs = 75_000

interface RowPermissionsOptions {
  /** Returns a worker's initial text; called only if it has none. */
  readonly seed: (worker: string) => Promise<string>
}

/** Creates a store over this connection or transaction. */
type PermissionsFactory = (db: Db) => PermissionsStore

interface CachedRules {
  readonly version: number
  readonly text: string
}

/**
 * GATE-04: stores rules in `worker_permissions`. Every load checks the row's version and fetches the text only if it changed, so
 * an edit applies in every process once committed. All stores of one factory share the cache.
 */
export function createRowPermissions(options: RowPermissionsOptions): PermissionsFactory {
  const cache = new Map<string, CachedRules>()
  return (db) => ({
    describe: describePermissionsRow,
    async load(worker) {
      const found = (await read(db, cache, worker)) ?? (await seed(db, cache, worker, options))
      return toLoaded(found)
    },
    async save(worker, version, text, by) {
      assertWorkerName(worker)
      assertRulesText(text)
      const read = Number(version)
      if (!Number.isSafeInteger(read)) return false
      return await replacePermissions(db, { worker, version: read, text, by: by ?? null })
    },
  })
}

/** Returns the description shown to people instead of a path. */
export function describePermissionsRow(worker: string): string {
  assertWorkerName(worker)
  return `the rules of worker "${worker}" in the database`
}

async function read(
  db: Db,
  cache: Map<string, CachedRules>,
  worker: string,
): Promise<CachedRules | undefined> {
  assertWorkerName(worker)
  const known = cache.get(worker)
  const found = await findPermissions(db, worker, known?.version)
  if (found === undefined) return undefined
  if (found.text === null) return known
  const kept = { version: found.version, text: found.text }
  cache.set(worker, kept)
  return kept
}

async function seed(
  db: Db,
  cache: Map<string, CachedRules>,
  worker: string,
  options: RowPermissionsOptions,
): Promise<CachedRules> {
  const text = await options.seed(worker)
  assertRulesText(text)
  await seedPermissions(db, worker, text)
  const made = await read(db, cache, worker)
  if (made === undefined)
    throw new Error(`the rules of worker "${worker}" were deleted right after they were created`)
  return made
}

function toLoaded({ version, text }: CachedRules): {
  readonly text: string
  readonly version: string
} {
  return { text, version: String(version) }
}

/** Returns the paths a call of this tool may use in its box, by the current rules. */
export function fileRulesOf(
  { files }: Pick<CallContext, 'files'>,
  spec: ToolSpec,
  facts: GateFacts,
): JobHeader['rules'] {
  return {
    workspace: facts.workspace,
    allowed: [...reachOf(spec, facts)],
    denyRead: [...files.denyRead],
    allowRead: [...files.allowRead],
    denyByRule: [...denyGlobs(spec, facts)],
    masked: [...facts.protectedPaths],
  }
}

type Settled = Awaited<ReturnType<typeof findSettledRules>>[number]

/** Finding for people: agents with different rules, which agents use which, and the fix. */
interface DifferingRules {
  readonly finding: string
  readonly fix: string
}

/**
 * GATE-04: finds agents whose rules for one worker, or their configuration, differ, one entry for each worker; otherwise the
 * agent that holds the turn would decide what needs approval. Ignores rules changed less than `forMs` ago.
 */
export async function differingRules(
  db: Db,
  { status }: Messages,
  forMs = settledMs,
): Promise<readonly DifferingRules[]> {
  const workers = Map.groupBy(await findSettledRules(db, forMs), ({ worker }) => worker)
  return [...workers].flatMap(([worker, agents]) => {
    const rules = Map.groupBy(agents, ({ sha256 }) => sha256)
    return rules.size < 2 ? [] : [describe(status, worker, [...rules.values()])]
  })
}

function describe(
  status: Messages['status'],
  worker: string,
  rules: readonly (readonly Settled[])[],
): DifferingRules {
  const sides = rules.map((agents, index) => `${index + 1}. ${describeSide(status, agents)}`)
  return {
    finding: status.rulesDiffer({ worker, sides: sides.join('; ') }),
    fix: status.shareRules,
  }
}

/** Agents that name the same file differ in their configuration. The first digits suffice to tell them apart. */
function describeSide(status: Messages['status'], agents: readonly Settled[]): string {
  const who = agents.map(({ id, host, path }) => status.agentRules({ id, host, path }))
  const digits = agents[0]?.sha256.slice(0, 12) ?? ''
  return status.fingerprint({ agents: who.join(', '), digits })
}
