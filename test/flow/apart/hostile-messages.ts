import type { ToolCallRow } from '../../../src/db/schema.ts'
import {
  type SignedMessage,
  type WorkerMessage,
  workerMessage,
} from '../../../src/rules/jobs/contract.ts'
import { signMessage } from '../../../src/rules/jobs/sign.ts'
import { canonicalJson } from '../../../src/util/canonical-json.ts'
import { newId } from '../../../src/util/ids.ts'
import { ownKey } from './hostile-forgeries.ts'
import { forged } from './hostile-scene.ts'

/** What a worker would say of that call, by somebody who is none. */
export function forgedResults(real: SignedMessage, call: ToolCallRow): readonly unknown[] {
  return forgedAnswers(bodyOf(real), call).flatMap((message) => [
    signMessage(ownKey, message),
    { body: canonicalJson(message), signature: real.signature },
    { body: canonicalJson(message), signature: '' },
  ])
}

/** The same, not signed yet. */
export function forgedAnswers(
  { worker, replica, at }: Pick<WorkerMessage, 'worker' | 'replica' | 'at'>,
  call: ToolCallRow,
): readonly WorkerMessage[] {
  const attempts = [call.attempt + 1, Math.max(call.attempt, 1)]
  return attempts.flatMap((attempt): readonly WorkerMessage[] => {
    const about = { worker, replica, at, callId: call.id, attempt }
    const result = { ...about, type: 'result', durationMs: 1 } as const
    const outcome = { kind: 'succeeded', output: forged } as const
    return [
      { ...about, type: 'started' },
      { ...result, jobType: 'run', outcome },
      { ...result, jobType: 'cancel', outcome },
      { ...result, jobType: 'run', outcome: { kind: 'elsewhere', canonical: [`/${forged}`] } },
      { ...result, jobType: 'run', outcome: { kind: 'interrupted' } },
      {
        ...result,
        jobType: 'preview',
        outcome: { kind: 'preview', diff: forged, baseSha256: '0'.repeat(64) },
      },
      { ...result, replica: newId(), jobType: 'run', outcome },
    ]
  })
}

/** Names that no column holds, in messages that follow the contract. */
export function oddNames(): readonly SignedMessage[] {
  const at = new Date().toISOString()
  const about = { replica: newId(), at, callId: newId(), attempt: 1, type: 'started' } as const
  return ['\u0000', '\ud800', 'a\nb', '__proto__', ''].map((worker) =>
    signMessage(ownKey, { ...about, worker }),
  )
}

export function bodyOf({ body }: SignedMessage): WorkerMessage {
  return workerMessage.parse(JSON.parse(body))
}

/** The last of that type. */
export function findMessage(messages: readonly SignedMessage[], type: WorkerMessage['type']) {
  return messages.findLast((message) => bodyOf(message).type === type)
}

export function messageOf(
  messages: readonly SignedMessage[],
  type: WorkerMessage['type'],
): SignedMessage {
  const found = findMessage(messages, type)
  if (found === undefined) throw new Error(`no ${type} was on the wire`)
  return found
}
