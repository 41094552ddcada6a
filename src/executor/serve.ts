import type { Readable, Writable } from 'node:stream'
import type { ExecutorOutcome, ExecutorReply } from '../domain/tool/executor-protocol.ts'
import { cutMiddle } from './bash/bounded-text.ts'
import type { CallRequest, Surroundings } from './call.ts'
import { parseRequest } from './parse-request.ts'
import { runCall } from './run-call.ts'
import { toStorableText } from './show-text.ts'

/** Maximum length of a reply: the worker reads lines up to 64 MiB, and JSON may need six bytes for one. */
const maxReplyBytes = 60 * 1024 * 1024

const shrunkBytes = 2 * 1024 * 1024

/** Maximum length of a request line in bytes; longer ones are dropped. */
const maxRequestBytes = 64 * 1024 * 1024

const newline = 0x0a

/**
 * Answers requests until `input` ends. `groups` always contains the process groups of running commands, for the caller to
 * end (BOX-02).
 */
export async function serve(
  input: Readable,
  output: Writable,
  surroundings: Surroundings,
  groups: Set<number>,
): Promise<void> {
  const reply = createReplyWriter(output)
  const inFlight = new Map<string, AbortController>()
  const finish = (id: string, outcome: ExecutorOutcome): void =>
    reply({ type: 'result', id, outcome })

  const begin = async (request: CallRequest): Promise<void> => {
    const { id } = request
    // A second answer with this id would be taken for the first.
    if (inFlight.has(id)) return
    const controller = new AbortController()
    inFlight.set(id, controller)
    const started = new Set<number>()
    const timer = setTimeout(() => controller.abort('timeout'), request.timeoutMs)
    const outcome = await runCall({
      request,
      surroundings,
      signal: controller.signal,
      started: (pid) => {
        started.add(pid)
        groups.add(pid)
        reply({ type: 'started', id, pid })
      },
      progress: (printing) => reply({ type: 'progress', id, ...printing }),
    })
    clearTimeout(timer)
    inFlight.delete(id)
    for (const pid of started) groups.delete(pid)
    finish(id, outcome)
  }

  reply({ type: 'ready', pid: process.pid })
  await readLines(input, (line) => {
    const parsed = parseRequest(line)
    if (parsed.kind === 'refused') {
      finish(parsed.id, {
        kind: 'error',
        error: { category: 'invalid_parameters', message: parsed.why },
      })
    } else if (parsed.kind === 'request' && parsed.request.type === 'cancel') {
      inFlight.get(parsed.request.id)?.abort('cancelled')
    } else if (parsed.kind === 'request' && parsed.request.type === 'call') {
      void begin(parsed.request)
    }
  })
}

/** Calls `onLine` for each complete line of `input`; resolves when it ends. An unfinished last line is dropped. */
function readLines(
  input: Readable,
  onLine: (line: string) => void,
  maxBytes = maxRequestBytes,
): Promise<void> {
  let parts: Buffer[] = []
  let size = 0
  const take = (part: Buffer): void => {
    size += part.length
    if (size <= maxBytes) parts.push(part)
    else parts = []
  }
  const finish = (): void => {
    if (size > 0 && size <= maxBytes) onLine(Buffer.concat(parts).toString('utf8'))
    parts = []
    size = 0
  }
  input.on('data', (chunk: Buffer) => {
    let from = 0
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      take(chunk.subarray(from, at))
      finish()
      from = at + 1
    }
    take(chunk.subarray(from))
  })
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) input.once(event, () => resolve())
  })
}

/** Creates a writer of replies, one JSON object a line. */
function createReplyWriter(output: Writable): (reply: ExecutorReply) => void {
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
