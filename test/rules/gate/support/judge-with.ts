import { z } from 'zod'
import type { Action, Verdict } from '../../../../src/domain/verdict.ts'
import { evaluateCall, type GateCall, type GateFacts } from '../../../../src/rules/gate/gate.ts'
import { agentLayer, operatorLayer } from '../../../../src/rules/gate/permissions/operator-layer.ts'
import { parsePermissions } from '../../../../src/rules/gate/permissions/parse-permissions.ts'
import type { Grant, RuleLayer } from '../../../../src/rules/gate/permissions/rule.ts'
import { findTool } from '../../../../src/rules/tools/registry.ts'
import type { ToolSpec } from '../../../../src/rules/tools/tool-spec.ts'

export type Tables = Readonly<
  Record<string, readonly { readonly pattern: string; readonly action: Action }[]>
>

export interface Setting {
  /** Text of a `permissions.jsonc`, or the object that it holds. */
  readonly permissions?: string | Readonly<Record<string, unknown>>
  readonly operator?: Tables
  readonly agent?: Tables
  readonly session?: readonly Grant[]
  readonly facts?: Partial<GateFacts>
  readonly canonical?: readonly string[]
}

export const workspace = '/workspace'

/** The built-in tool of this name; else one that the gate knows little of. */
export function specOf(name: string): ToolSpec {
  return findTool(name) ?? { ...otherTool, name, ...(name === 'skill' && skill) }
}

const skill = { ruledBy: { kind: 'name', argument: 'name' } } as const

const otherTool: Omit<ToolSpec, 'name'> = {
  description: '',
  kind: 'other',
  schema: z.object({}),
  idempotent: false,
  cacheable: false,
  mutating: false,
  needsNetwork: false,
  runsIn: 'box',
  timeoutMs: 1000,
}

export function factsOf(setting: Setting = {}): GateFacts {
  const given = setting.permissions ?? { '*': 'ask' }
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  return {
    ...(setting.agent === undefined ? {} : { agent: agentLayer(setting.agent) }),
    operator: toOperator(setting.operator ?? {}),
    worker: parseOnce(text),
    grants: setting.session ?? [],
    workspace,
    protectedPaths: [],
    allowedPaths: [],
    commandPaths: [],
    readablePaths: [],
    confined: true,
    web: { allowedDomains: [], deniedDomains: [], allowedPorts: [] },
    ...setting.facts,
  }
}

const parsed = new Map<string, ReturnType<typeof parsePermissions>>()

/** The corpora judge thousands of commands by one text of thousands of patterns. */
function parseOnce(text: string): ReturnType<typeof parsePermissions> {
  const layer = parsed.get(text) ?? parsePermissions(text, { home: workspace })
  parsed.set(text, layer)
  return layer
}

function toOperator(permissions: Tables): RuleLayer {
  const shell = { blocked_commands: [], confirm_patterns: [] }
  const outcome = operatorLayer({ permissions, shell }, true)
  if (outcome.kind === 'damaged') throw new Error(JSON.stringify(outcome.problems))
  return outcome.layer
}

export function judgeWith(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  setting: Setting = {},
): Verdict {
  const call: GateCall = {
    spec: specOf(tool),
    args,
    ...(setting.canonical === undefined ? {} : { canonical: setting.canonical }),
  }
  return evaluateCall(call, factsOf(setting))
}

export function judgeBash(command: string, setting: Setting = {}): Verdict {
  return judgeWith('bash', { command }, setting)
}
