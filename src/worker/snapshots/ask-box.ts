import type { FileRules } from '../../domain/tool/file-rules.ts'
import type { ExecutorClient } from '../box/executor-client.ts'

/** BASH-07: failure to take or restore a snapshot, with a reason for people. */
export class SnapshotFailed extends Error {
  override readonly name = 'SnapshotFailed'
}

/** Throws for an answer that no executor sends (threat 20). */
export function misbehaved(): never {
  throw new SnapshotFailed('the box misbehaved')
}

/** Calls a service of the executor; returns its untrusted answer. Rejects with SnapshotFailed. */
export type AskBox = (
  service: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<string>

/** Contents transferred at once: bytes, and number of files or pieces. */
export const batch = { bytes: 8 * 1024 * 1024, count: 500 } as const

/** Time limit of one service; a box that does not answer in time is killed. */
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
