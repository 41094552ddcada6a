import type { ToolCallRow } from '../../db/schema.ts'
import type { GateFacts } from '../../rules/gate/gate.ts'
import { denyGlobs, judgedPaths } from '../../rules/gate/paths/judged-paths.ts'
import type { JobHeader, SignedJob } from '../../rules/jobs/contract.ts'
import { signJob } from '../../rules/jobs/sign.ts'
import type { ToolSpec } from '../../rules/tools/tool-spec.ts'
import type { CallKernel, Scope } from './call-kernel.ts'
import { readCanonical } from './judge-call.ts'

export interface CallToSign {
  readonly call: ToolCallRow
  readonly spec: ToolSpec
  readonly args: Readonly<Record<string, unknown>>
  readonly approvalId?: string
}

/** A job that a worker will act on: everything that decides what runs, signed (PROC-02). */
export function signCall(
  kernel: CallKernel,
  scope: Scope,
  facts: GateFacts,
  type: JobHeader['type'],
  { call, spec, args, approvalId }: CallToSign,
): SignedJob {
  const canonical = readCanonical(call.canonical)
  const gateCall = { spec, args, ...(canonical === undefined ? {} : { canonical }) }
  return signJob(
    kernel.signer,
    {
      type,
      callId: call.id,
      turnId: call.turn_id,
      epoch: scope.turn.epoch,
      attempt: Math.max(call.attempt, 1),
      worker: scope.session.worker,
      conversation: scope.conversation.id,
      tool: call.tool,
      workspaceId: scope.conversation.id,
      rules: {
        workspace: facts.workspace,
        allowed: [...facts.allowedPaths],
        denyRead: [...kernel.files.denyRead],
        allowRead: [...kernel.files.allowRead],
        denyByRule: [...denyGlobs(call.tool, facts)],
        masked: [...facts.protectedPaths],
      },
      judged: [...judgedPaths(gateCall, facts)],
      ...(call.base_sha256 === null ? {} : { baseSha256: call.base_sha256 }),
      timeoutMs: timeoutOf(kernel, spec, args),
      network: false,
      caller: scope.turn.caller_id,
      ...(approvalId === undefined ? {} : { approvalId }),
    },
    call.arguments,
    Math.floor(Date.now() / 1000),
  )
}

/** BASH-01: the command's own time limit, never above the configured one. */
function timeoutOf(
  kernel: CallKernel,
  spec: ToolSpec,
  args: Readonly<Record<string, unknown>>,
): number {
  if (spec.name !== 'bash') return spec.timeoutMs
  const asked = args['timeout']
  const { shellTimeoutMs, shellMaxTimeoutMs } = kernel.settings
  return typeof asked === 'number' ? Math.min(asked * 1000, shellMaxTimeoutMs) : shellTimeoutMs
}
