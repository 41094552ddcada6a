import type { Writable } from 'node:stream'
import type { ExecutorOutcome, ExecutorReply } from '../domain/tool/executor-protocol.ts'
import { cutMiddle } from './bash/cut-middle.ts'
import { toStorableText } from './show-text.ts'

/** The longest line the worker reads is 64 MiB; JSON may need six bytes for one. */
const maxReplyBytes = 60 * 1024 * 1024
const shrunkBytes = 2 * 1024 * 1024

/** Writes replies to `output`, one JSON object a line. */
export function createReplyWriter(output: Writable): (reply: ExecutorReply) => void {
  return (reply) => {
    if (output.writable) output.write(`${toLine(reply)}\n`)
  }
}

function toLine(reply: ExecutorReply): string {
  const line = JSON.stringify(reply, storable)
  if (reply.type !== 'result' || Buffer.byteLength(line) <= maxReplyBytes) return line
  return JSON.stringify({ ...reply, outcome: shrink(reply.outcome) }, storable)
}

function storable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? toStorableText(value) : value
}

function shrink(outcome: ExecutorOutcome): ExecutorOutcome {
  if (outcome.kind === 'preview') return { ...outcome, diff: cutMiddle(outcome.diff, shrunkBytes) }
  if (outcome.kind !== 'ok' && outcome.kind !== 'error') return outcome
  const { output, envelope } = outcome
  return {
    ...outcome,
    ...(output === undefined ? {} : { output: cutMiddle(output, shrunkBytes) }),
    ...(envelope === undefined
      ? {}
      : {
          envelope: {
            ...envelope,
            stdout: cutMiddle(envelope.stdout, shrunkBytes),
            stderr: cutMiddle(envelope.stderr, shrunkBytes),
            truncated: true,
          },
        }),
  }
}
