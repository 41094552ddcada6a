import { hostname } from 'node:os'
import { differingRules } from '../core/call/gate/file-rules.ts'
import type { TurnContext } from '../core/turn/turn-context.ts'
import type { Db } from '../db/schema.ts'
import { type AgentRules, deleteAgent, saveAgent } from '../db/worker/agents.ts'
import { findWorkerNames } from '../db/worker/workers.ts'
import { english, type Messages } from '../domain/messages/messages.ts'
import type { Model } from '../ports/model.ts'
import type { PermissionsStore } from '../ports/permissions-store.ts'
import { checkRules } from '../rules/gate/permissions/check-rules.ts'
import { withinMs } from '../util/abort.ts'
import { canonicalJson } from '../util/canonical-json.ts'
import { sha256 } from '../util/digest.ts'
import type { Log } from '../util/log.ts'
import { runPeriodically } from '../util/run-periodically.ts'

/** Any name works, as long as all agents use the same. */
const anyWorkspace = '/workspace'

const announceEveryMs = 5_000

/** Time limit for removing the announcement: an unreachable database is not waited for. */
const farewellMs = 2_000

/** Announces through the database that this agent is alive, and its details for `/status`. */
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
      warnings: await rulesWarnings(ctx.messages, permissions, settings.worker),
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

/** Checks whether agents run with different rules; each change is logged once. */
export function createRulesWatch(db: Db, log: Log): () => Promise<void> {
  let told: readonly string[] = []
  return async () => {
    const found = await differingRules(db, english)
    for (const { finding, fix } of found) {
      if (!told.includes(finding)) log.warn({ finding, fix }, 'agents have different rules')
    }
    if (found.length > 0) {
      told = found.map(({ finding }) => finding)
    } else if (told.length > 0 && (await isSame(db))) {
      log.info({}, 'agents have the same rules again')
      told = []
    }
  }
}

/** Ignores the grace period: rules that have just changed are not reported yet, but may still differ. */
async function isSame(db: Db): Promise<boolean> {
  const found = await differingRules(db, english, 0)
  return found.length === 0
}

/**
 * GATE-04: one hash of the rules that an agent applies: every worker's rules file, since any agent may run any worker's turn, and
 * the configuration's additions.
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

/** The configuration that the gate and approvals depend on, without machine-local paths of data and rules. */
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

/** Includes the variables: a rule that names a variable set on one agent only behaves differently there. */
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

/** Warnings for people about a worker's current rules, in plain words. */
export async function rulesWarnings(
  { status }: Messages,
  permissions: PermissionsStore,
  worker: string,
): Promise<readonly string[]> {
  const { text } = await permissions.load(worker)
  const { problems, failed, allowsEverything } = checkRules(text)
  const path = permissions.describe(worker)
  if (allowsEverything) {
    return [status.rulesAllowAll({ path })]
  }
  return [
    ...problems.map(({ line, message }) => status.ruleProblem({ path, line, problem: message })),
    ...failed.map(({ line, message }) => status.exampleProblem({ path, line, problem: message })),
  ]
}
