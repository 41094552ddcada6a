import type { TurnKernel } from '../core/turn/turn-kernel.ts'
import type { AgentRules } from '../db/worker/agents.ts'
import { findWorkerNames } from '../db/worker/workers.ts'
import { canonicalJson } from '../util/canonical-json.ts'
import { sha256 } from '../util/sha256.ts'

/**
 * GATE-04: what an agent decides by, as one hash: the file of rules of every worker that there is, since any agent may have a turn
 * of any of them, and what its configuration adds.
 */
export async function describeRules(kernel: TurnKernel): Promise<AgentRules> {
  const { db, permissions, settings } = kernel
  const known = await findWorkerNames(db)
  const workers = known.length === 0 ? [settings.worker] : known
  const files = await Promise.all(
    workers.map(async (worker) => [worker, (await permissions.load(worker)).text] as const),
  )
  const configuration = configurationOf(kernel)
  const all = canonicalJson({ files: Object.fromEntries(files), configuration })
  const path = permissions.describe(workers[0] ?? settings.worker)
  return { worker: workers.join(', '), path, sha256: sha256(all) }
}

/** The name does not matter, as long as all agents take the same. */
const anyWorkspace = '/workspace'

/** What the gate and questions to people go by. Where a machine keeps its data and its rules is its own affair. */
function configurationOf({ operator, policy, variables, files, web, settings }: TurnKernel) {
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
  policy: TurnKernel['policy'],
  variables: TurnKernel['variables'],
): Readonly<Record<string, unknown>> {
  if (policy === undefined) return {}
  const { rules, defaultEffect } = policy
  return {
    policy: { rules: rules.map(({ text }) => text), defaultEffect },
    variables: [...variables].sort(),
  }
}
