import { hostname } from 'node:os'
import { differingRules } from '../core/call/gate/differing-rules.ts'
import type { TurnContext } from '../core/turn/turn-context.ts'
import type { Db } from '../db/schema.ts'
import { type AgentRules, deleteAgent, saveAgent } from '../db/worker/agents.ts'
import { findWorkerNames } from '../db/worker/workers.ts'
import type { Model } from '../ports/model.ts'
import { withinMs } from '../util/abort.ts'
import { canonicalJson } from '../util/canonical-json.ts'
import type { Log } from '../util/log.ts'
import { runPeriodically } from '../util/run-periodically.ts'
import { sha256 } from '../util/sha256.ts'
import { rulesWarnings } from './rules-warnings.ts'

/** The name does not matter, as long as all agents take the same. */
const anyWorkspace = '/workspace'

const announceEveryMs = 5_000
/** How long the farewell may take: a database that is away is not waited for. */
const farewellMs = 2_000

/** Tells the other processes, through the database, that this agent lives, and what `/status` says of it. */
export async function announceAgent(ctx: TurnContext): Promise<AsyncDisposable> {
  const { db, log, agentId: id, model, fallback, choices, permissions, settings } = ctx
  const watchRules = createRulesWatch(db, log)
  const announce = async (): Promise<void> => {
    await saveAgent(db, {
      id,
      model: [model, fallback]
        .flatMap((one) => one ?? [])
        .map(described)
        .join(', then '),
      models: [...(choices ?? [])].map(([name, one]) => ({ name, about: described(one) })),
      warnings: await rulesWarnings(permissions, settings.worker),
      liveKey: ctx.liveKey,
      host: hostname(),
      rules: await describeRules(ctx),
    })
    await watchRules()
  }
  await announce()
  const announcing = runPeriodically(announceEveryMs, log, 'announce the agent', announce)
  return {
    [Symbol.asyncDispose]: async () => {
      await announcing[Symbol.asyncDispose]()
      const farewell = deleteAgent(db, id).catch(() => undefined)
      await withinMs(farewell, farewellMs, undefined)
    },
  }
}

function described({ provider, name }: Model): string {
  return provider === name ? name : `${provider} ${name}`
}

/** Looks whether agents go by different rules; each change is logged once. */
export function createRulesWatch(db: Db, log: Log): () => Promise<void> {
  let told: readonly string[] = []
  return async () => {
    const found = await differingRules(db)
    for (const { finding, mend } of found) {
      if (!told.includes(finding)) log.warn({ finding, mend }, 'agents have different rules')
    }
    if (found.length > 0) {
      told = found.map(({ finding }) => finding)
    } else if (told.length > 0 && (await isSame(db))) {
      log.info({}, 'agents have the same rules again')
      told = []
    }
  }
}

/** Rules that have just changed are no finding yet, but need not be the same. */
async function isSame(db: Db): Promise<boolean> {
  const found = await differingRules(db, 0)
  return found.length === 0
}

/**
 * GATE-04: what an agent decides by, as one hash: the file of rules of every worker that there is, since any agent may have a turn
 * of any of them, and what its configuration adds.
 */
export async function describeRules(ctx: TurnContext): Promise<AgentRules> {
  const { db, permissions, settings } = ctx
  const known = await findWorkerNames(db)
  const workers = known.length === 0 ? [settings.worker] : known
  const files = await Promise.all(
    workers.map(async (worker) => [worker, (await permissions.load(worker)).text] as const),
  )
  const configuration = configurationOf(ctx)
  const all = canonicalJson({ files: Object.fromEntries(files), configuration })
  const path = permissions.describe(workers[0] ?? settings.worker)
  return { worker: workers.join(', '), path, sha256: sha256(all) }
}

/** What the gate and questions to people go by. Where a machine keeps its data and its rules is its own affair. */
function configurationOf({ operator, policy, variables, files, web, settings }: TurnContext) {
  const { approvalTtlMs, onExpiry, alwaysByName, approvers, routing, toolsEnabled } = settings
  return {
    operator: operator.rules.map(({ tool, pattern, action }) => ({ tool, pattern, action })),
    ...policyOf(policy, variables),
    files: { ...files, allowed: files.allowed(anyWorkspace) },
    web,
    approval: { ttlMs: approvalTtlMs, onExpiry, alwaysByName, approvers, routing },
    toolsEnabled,
  }
}

/** The variables too: where one is set for one agent only, a rule that names it says another thing there. */
function policyOf(
  policy: TurnContext['policy'],
  variables: TurnContext['variables'],
): Readonly<Record<string, unknown>> {
  if (policy === undefined) return {}
  const { rules, defaultEffect } = policy
  return {
    policy: { rules: rules.map(({ text }) => text), defaultEffect },
    variables: [...variables].sort(),
  }
}
