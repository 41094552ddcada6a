import type { Readable, Writable } from 'node:stream'
import type { ExecutorOutcome } from '../domain/tool/executor-protocol.ts'
import type { CallRequest, Surroundings } from './call.ts'
import { parseRequest } from './parse-request.ts'
import { readLines } from './read-lines.ts'
import { createReplyWriter } from './reply-writer.ts'
import { runCall } from './run-call.ts'

/**
 * Answers requests until `input` ends. `groups` always holds the process groups of the commands that run, for the caller
 * to end (BOX-02).
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
    // A second answer under one id would be taken for the first one's.
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
