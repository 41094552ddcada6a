import { z } from 'zod'
import { hasApprovedText } from '../../../db/approval/approved-text.ts'
import type { LiveGrant } from '../../../db/approval/grants.ts'
import { findGateRows, type GateRows } from '../../../db/call/gate-rows.ts'
import { findSucceededTools } from '../../../db/call/model-tool-use.ts'
import type { Db, SessionRow, TurnRow } from '../../../db/schema.ts'
import type { KnownReplica } from '../../../db/worker/workers.ts'
import type { ToolTrust } from '../../../domain/trust.ts'
import type { PermissionsStore } from '../../../ports/permissions-store.ts'
import type { GateFacts } from '../../../rules/gate/gate.ts'
import { readPermissions } from '../../../rules/gate/permissions/read-permissions.ts'
import type { WorkerRules } from '../../../rules/gate/permissions/rule.ts'
import { makeVisible } from '../../../rules/gate/visible.ts'
import type { Signer } from '../../../rules/jobs/sign.ts'
import {
  namedDependencies,
  unmetRequirements,
} from '../../../rules/tools/shown/unmet-requirements.ts'
import type { ToolSpec } from '../../../rules/tools/tool-spec.ts'
import { dropOldest } from '../../../util/drop-oldest.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'
import type { CoreContext } from '../../context.ts'
import type { ToolCatalogue } from '../../mcp/tool-catalogue.ts'
import { readTexts } from '../../stored.ts'
import type { TurnTransaction } from '../../transaction.ts'

/** Maximum entries: some sandboxes have a home for each conversation, and texts that changed are not needed again. */
const maxKept = 100

/** Maximum messages that wait at once for their replica's greeting. */
const mostAwaited = 4

/** Maximum dropped messages reported singly in a minute. */
const mostTold = 100

/** Limits the handling of messages from unenrolled workers, so that a flood does not delay others. One for each agent. */
export class UnenrolledWorkers {
  #awaited = 0
  #dropped = 0

  /**
   * Waits for a greeting that may be on its way; returns undefined at once if too many wait. A genuine result is requested again.
   */
  async awaitGreeting<T>(wait: () => Promise<T | undefined>): Promise<T | undefined> {
    if (this.#awaited >= mostAwaited) return undefined
    this.#awaited += 1
    try {
      return await wait()
    } finally {
      this.#awaited -= 1
    }
  }

  /** Counts a dropped message; returns whether to report it singly. */
  countDropped(): boolean {
    this.#dropped += 1
    return this.#dropped <= mostTold
  }

  /** Starts the next minute; returns how many dropped messages of the last one went unreported. */
  beginMinute(): number {
    const untold = Math.max(0, this.#dropped - mostTold)
    this.#dropped = 0
    return untold
  }
}

/** Dependencies for evaluating and sending tool calls. */
export interface CallContext extends CoreContext {
  readonly tools: readonly ToolSpec[]
  /** REACH-02: these and the approved tools of MCP servers, by worker. */
  readonly catalogue: ToolCatalogue
  /** MODEL-02: the configured model calls tools by blocks in its text. */
  readonly callsInText: boolean
  readonly signer: Signer
  /** Secret from which worker enrolment tokens are derived (threat 5). */
  readonly enrolmentSecret: string
  readonly unenrolledWorkers: UnenrolledWorkers
  readonly permissions: PermissionsStore
  /**
   * The same store within a transaction's connection: waiting for a second connection while holding one could deadlock the pool.
   */
  readonly permissionsIn: (db: Db) => PermissionsStore
  readonly parseRules: ParseRules
  /** APPR-21: loads the shadow rules that calls are also evaluated by; undefined: none are available. */
  readonly shadowRules?: () => Promise<string | undefined>
  readonly operator: GateFacts['operator']
  /** POL-01; undefined: no policy is enabled. */
  readonly policy: GateFacts['policy']
  /** Names of the policy's variables that are set. */
  readonly variables: ReadonlySet<string>
  /** POL-05; absent: calls are not reviewed. */
  readonly reviews?: GateFacts['reviews']
  readonly web: GateFacts['web']
  readonly files: {
    /** Paths allowed besides the workspace, as seen in a box with this workspace path. */
    readonly allowed: (boxWorkspace: string) => readonly string[]
    readonly denyRead: readonly string[]
    readonly allowRead: readonly string[]
  }
  readonly commands: {
    /** Paths that programs may reach, as above (BASH-10). */
    readonly allowed: (boxWorkspace: string) => readonly string[]
    /** Whether programs get the network configured by the worker's operator (BASH-06). */
    readonly network: boolean
    /** BASH-11: whether such a network is configured, as far as this process knows; false if it is missing. */
    readonly hasNetwork?: boolean
  }
  /** GATE-12: paths that no tool may touch, as seen in a box with this workspace path. */
  readonly protectedPaths: (boxWorkspace: string) => readonly string[]
}

/** The tools of a call's worker: built in, or of its MCP servers. */
export function toolsOf(
  { catalogue, settings }: Pick<CallContext, 'catalogue' | 'settings'>,
  { worker }: { readonly worker: string | null },
): readonly ToolSpec[] {
  return catalogue.toolsOf(worker ?? settings.worker)
}

/** Parses a worker's rules; returns the same object for the same text and home, so that caches keyed by it work. */
type ParseRules = (text: string, home: string) => WorkerRules

/** Caches parsed rules, whose examples are also tested once: every transition of a turn needs them, and they rarely change. */
export function createRulesCache(): ParseRules {
  const kept = new Map<string, WorkerRules>()
  return (text, home) => {
    const key = `${home}\n${text}`
    const rules = kept.get(key) ?? readPermissions(text, { home })
    kept.delete(key)
    kept.set(key, rules)
    dropOldest(kept, maxKept)
    return rules
  }
}

const stored = z.union([z.literal('all'), z.array(z.string())])

/** Facts the gate decides on, read for every transition, so that a rule tightened meanwhile counts (POL-06). */
export interface LoadedFacts extends GateFacts {
  readonly grants: readonly LiveGrant[]
  readonly driver: string
  /** Warnings about the box for people (BOX-08). */
  readonly warnings: readonly string[]
  /** Tools that the session's worker has: built in, or of its MCP servers. */
  readonly tools: readonly ToolSpec[]
  /** SCH-03: prerequisite tools that have succeeded in the session. */
  readonly succeeded: ReadonlySet<string>
  /** Replica with the session's warm box, if it is alive (DECISIONS 3). */
  readonly warmAt: string | undefined
  /** As these facts were read: a mutating call of the session is at a worker or may still run there; undefined if not read. */
  readonly isMutating: boolean | undefined
}

/** Transition of one turn that evaluates calls, with its facts. */
export interface GateTransaction<Context extends CallContext = CallContext>
  extends TurnTransaction<Context> {
  readonly facts: LoadedFacts
}

/** Context fields from which the gate's facts are derived. */
export type GateParts = Pick<
  CallContext,
  | 'operator'
  | 'policy'
  | 'variables'
  | 'reviews'
  | 'parseRules'
  | 'protectedPaths'
  | 'files'
  | 'commands'
  | 'web'
>

/** Stored data of one worker and session. */
interface GateInputs {
  /** The worker's `permissions.jsonc`. */
  readonly text: string
  readonly grants: GateFacts['grants']
  readonly trust: ToolTrust
  /** Replicas that may take the job; the first gives the workspace path in boxes. */
  readonly replicas: readonly KnownReplica[]
  readonly conversationId: string
}

export async function loadFacts(
  ctx: CallContext,
  db: Db,
  session: SessionRow,
  turn: Pick<TurnRow, 'id' | 'caller_id'>,
): Promise<LoadedFacts> {
  return completeFacts(ctx, db, session, await findGateRows(db, session, turn))
}

/** The facts of rows that were read in the same transaction. */
export async function completeFacts(
  ctx: CallContext,
  db: Db,
  session: SessionRow,
  { replicas, grants, trust, isMutating }: GateRows,
): Promise<LoadedFacts> {
  const [replica] = replicas
  const { text } = await ctx.permissionsIn(db).load(session.worker)
  const shadow = await ctx.shadowRules?.()
  const known = { text, grants, trust, replicas, conversationId: session.conversation_id }
  const facts = toFacts(ctx, known)
  return {
    ...facts,
    grants,
    tools: ctx.catalogue.toolsOf(session.worker),
    ...(shadow === undefined ? {} : { shadow: ctx.parseRules(shadow, facts.workspace) }),
    trustsText: ctx.callsInText && (await hasApprovedText(db, session.id)),
    alwaysByName: ctx.settings.alwaysByName ?? [],
    ...(await dependenciesIn(ctx, db, session.id)),
    driver: replica?.driver ?? 'unknown',
    warnings: replica === undefined ? [] : readWarnings(replica),
    warmAt: warmAt(session, replicas),
    isMutating,
  }
}

async function dependenciesIn({ settings }: CallContext, db: Db, sessionId: string) {
  const dependencies = settings.toolView?.dependencies
  if (dependencies === undefined) return { succeeded: new Set<string>() }
  const succeeded = await findSucceededTools(db, sessionId, namedDependencies(dependencies))
  return { succeeded, unmet: unmetRequirements(dependencies, succeeded) }
}

/** Builds the facts from stored data. */
export function toFacts(parts: GateParts, place: GateInputs): GateFacts {
  const { text, grants, trust, replicas, conversationId } = place
  const [replica] = replicas
  const workspace = boxWorkspace(replica, conversationId)
  return {
    operator: parts.operator,
    policy: parts.policy,
    variables: parts.variables,
    reviews: parts.reviews,
    trust,
    worker: parts.parseRules(text, workspace),
    grants,
    workspace,
    protectedPaths: parts.protectedPaths(workspace),
    allowedPaths: parts.files.allowed(workspace),
    commandPaths: parts.commands.allowed(workspace),
    readablePaths: parts.files.allowRead,
    // Any of them may take the job.
    confined: replica !== undefined && replicas.every(({ confined }) => confined),
    refusesByLook: replicas.some(({ driver }) => driver === 'process'),
    web: parts.web,
  }
}

/** Returns a conversation's workspace path in the boxes of this replica; without a replica, the usual path. */
function boxWorkspace(replica: KnownReplica | undefined, workspaceId: string): string {
  return (replica?.box_workspace ?? '/workspace').replaceAll('{workspace}', workspaceId)
}

/** Returns the replica with the warm box if it is alive; one that said farewell counts as silent at once. */
function warmAt(
  { box_replica }: SessionRow,
  replicas: readonly KnownReplica[],
): string | undefined {
  const isAlive = replicas.some(({ replica, is_alive }) => is_alive && replica === box_replica)
  return isAlive ? (box_replica ?? undefined) : undefined
}

/**
 * Returns the warnings a worker process reported, one line each. It is untrusted text shown on cards: it cannot start a new line
 * or hide anything (THREAT-23).
 */
export function readWarnings({ warnings }: { readonly warnings: string }): readonly string[] {
  return readTexts(warnings).map((warning) => makeVisible(warning.replaceAll(/\s+/g, ' ')))
}

/** SCH-02: names of the tools selected for a turn, or all. */
type ShownTools = ReadonlySet<string> | 'all'

/** Returns the tools selected for a turn; all if none were stored. */
export function shownTools({ shown_tools: text }: Pick<TurnRow, 'shown_tools'>): ShownTools {
  if (text === null) return 'all'
  const names = stored.parse(tryParseJson(text))
  return names === 'all' ? names : new Set(names)
}

/** Serialises them for the turn's row. */
export function storedTools(shown: ShownTools): string {
  return JSON.stringify(shown === 'all' ? shown : [...shown].sort())
}
