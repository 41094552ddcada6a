import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { ExecutorReply } from '../../domain/tool/executor-protocol.ts'
import { toolErrorCategories } from '../../domain/tool/tool-error.ts'
import { programFile } from '../../rules/jobs/contract.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'

const id = z.string().min(1).max(64)
// A path is used for the next decision of the gate, so it must be valid as it is.
const path = z
  .string()
  .min(1)
  .max(4096)
  .refine((text) => text.isWellFormed() && !text.includes('\0'))
const pid = z
  .number()
  .int()
  .positive()
  .max(2 ** 31)
const error = z.strictObject({
  category: z.enum(toolErrorCategories),
  message: z.string().max(100_000),
})
const envelope = z.strictObject({
  stdout: z.string(),
  stderr: z.string(),
  exit_code: z.number().int().min(0).max(255).nullable(),
  truncated: z.boolean(),
  duration_ms: z.number().nonnegative().max(Number.MAX_SAFE_INTEGER),
  timed_out: z.boolean(),
})

const digest = z.string().regex(/^[0-9a-f]{64}$/)

const outcome = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('ok'),
    output: z.string(),
    envelope: z.exactOptional(envelope),
    fingerprint: z.exactOptional(digest),
  }),
  z.strictObject({ kind: z.literal('unchanged') }),
  z.strictObject({
    kind: z.literal('error'),
    error,
    output: z.exactOptional(z.string()),
    envelope: z.exactOptional(envelope),
  }),
  z.strictObject({ kind: z.literal('elsewhere'), canonical: z.array(path).min(1).max(16) }),
  z.strictObject({ kind: z.literal('changed'), path }),
  z.strictObject({
    kind: z.literal('preview'),
    diff: z.string(),
    baseSha256: digest,
  }),
  z.strictObject({ kind: z.literal('programs'), files: z.array(programFile).max(64) }),
])

const reply = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready'), pid }),
  z.strictObject({ type: z.literal('started'), id, pid }),
  z.strictObject({
    type: z.literal('progress'),
    id,
    text: z.string().max(131_072),
    isCut: z.exactOptional(z.boolean()),
  }),
  z.strictObject({ type: z.literal('result'), id, outcome }),
])

/** Threat 20: parses one line of a box; undefined if no executor sends such a line. Never throws. */
export function parseReply(line: string): ExecutorReply | undefined {
  return reply.safeParse(tryParseJson(line)).data
}

/** Calls `onLine` for each line of a byte stream; stops with `onTooLong` at a line over `maxBytes`. */
export function readLines(
  stream: Readable,
  maxBytes: number,
  onLine: (line: string) => void,
  onTooLong: () => void,
): void {
  let parts: Buffer[] = []
  let size = 0
  const onData = (chunk: Buffer): void => {
    let from = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, end))
      from = end + 1
      const line = Buffer.concat(parts)
      parts = []
      size = 0
      if (line.length > maxBytes) {
        stop()
        return
      }
      onLine(line.toString())
    }
    parts.push(chunk.subarray(from))
    size += chunk.length - from
    if (size > maxBytes) stop()
  }
  const stop = (): void => {
    stream.off('data', onData)
    parts = []
    onTooLong()
  }
  stream.on('data', onData)
}
