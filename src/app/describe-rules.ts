import type { TurnKernel } from '../core/turn/turn-kernel.ts'
import type { AgentRules } from '../db/agents.ts'
import { canonicalJson } from '../util/canonical-json.ts'
import { sha256 } from '../util/sha256.ts'

/** GATE-04: what an agent decides by, as one hash: the file of rules, and what its configuration adds to them. */
export async function describeRules(kernel: TurnKernel): Promise<AgentRules> {
  const { permissions, settings } = kernel
  const { worker } = settings
  const { text } = await permissions.load(worker)
  const both = canonicalJson({ file: text, configuration: configurationOf(kernel) })
  return { worker, path: permissions.describe(worker), sha256: sha256(both) }
}

/** What the gate and questions to people go by. Where a machine keeps its data and its rules is its own affair. */
function configurationOf({ operator, files, web, settings }: TurnKernel) {
  const { approvalTtlMs, onExpiry, toolsEnabled } = settings
  return {
    operator: operator.rules.map(({ tool, pattern, action }) => ({ tool, pattern, action })),
    files,
    web,
    approval: { ttlMs: approvalTtlMs, onExpiry },
    toolsEnabled,
  }
}
