import type { FileRules } from '../../domain/file-rules.ts'
import type { ExecutorClient } from '../executor-client.ts'

/** BASH-07: why a snapshot cannot be taken or put back, for people. */
export class SnapshotFailed extends Error {
  override readonly name = 'SnapshotFailed'
}

/** Has the executor do one of its services; answers what it says, which is hostile. Rejects with SnapshotFailed. */
export type AskBox = (
  service: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<string>

/** Of one service; a box that does not answer in time is ended. */
const serviceMs = 60_000

const silent = { started: () => undefined, progress: () => undefined }

export function askBox(client: ExecutorClient, rules: FileRules): AskBox {
  return async (service, args, signal) => {
    const late = AbortSignal.timeout(serviceMs + 5_000)
    const request = {
      tool: service,
      arguments: args,
      rules,
      judged: [],
      timeoutMs: serviceMs,
      maxStreamBytes: 0,
      maxDiagnostics: 0,
      env: {},
    }
    const answer = await client.call(request, silent, AbortSignal.any([signal, late]))
    if (answer.kind !== 'answered') throw new SnapshotFailed('the box ended')
    const { outcome } = answer
    if (outcome.kind === 'ok') return outcome.output
    throw new SnapshotFailed(
      outcome.kind === 'error' ? outcome.error.message : 'the box misbehaved',
    )
  }
}
