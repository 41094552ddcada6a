import type { FileRules } from '../../domain/tool/file-rules.ts'
import type { ExecutorClient } from '../box/executor-client.ts'

/** BASH-07: why a snapshot cannot be taken or put back, for people. */
export class SnapshotFailed extends Error {
  override readonly name = 'SnapshotFailed'
}

/** Ends it where a box says what no executor does (threat 20). */
export function misbehaved(): never {
  throw new SnapshotFailed('the box misbehaved')
}

/** Has the executor do one of its services; answers what it says, which is hostile. Rejects with SnapshotFailed. */
export type AskBox = (
  service: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<string>

/** Contents that travel at once: bytes, and files or pieces. */
export const batch = { bytes: 8 * 1024 * 1024, count: 500 } as const

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
    if (outcome.kind === 'error') throw new SnapshotFailed(outcome.error.message)
    return misbehaved()
  }
}
