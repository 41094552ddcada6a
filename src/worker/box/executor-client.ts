import { randomUUID } from 'node:crypto'
import type {
  ExecutorOutcome,
  ExecutorReply,
  ExecutorRequest,
} from '../../domain/tool/executor-protocol.ts'
import type { Box } from '../../ports/sandbox.ts'
import type { ProcessIdentity } from '../process-identity.ts'
import { parseReply, readLines } from './executor-reply.ts'

const maxLineBytes = 64 * 1024 * 1024
/** Maximum number of lines a second; a box that sends more is misbehaving. */
const maxLinesPerSecond = 5_000
/** Maximum number of progress lines a second. Each is redacted, which costs time; an executor sends four for each call. */
const maxProgressPerSecond = 200
/** An executor ends a command within 250 ms; after this time the box is killed. */
const defaultGraceMs = 3_000

type CallRequest = Omit<Extract<ExecutorRequest, { type: 'call' }>, 'type' | 'id'>

export type ExecutorAnswer =
  | { readonly kind: 'answered'; readonly outcome: ExecutorOutcome }
  /** The box died before it answered; the effect of the call is unknown. */
  | { readonly kind: 'box-died' }

/** Events of a call before its answer. */
export interface CallEvents {
  /** A shell command was started; `pid` is in the box's numbering. */
  started(pid: number): void
  /** Output since the previous event; `isCut` if its beginning was dropped. */
  progress(printed: string, isCut: boolean): void
}

export interface ExecutorClientOptions {
  /** Milliseconds until a box is killed if a cancelled call does not answer. */
  readonly graceMs?: number
}

/** BOX-02: client of the executor in one box. Its output is untrusted: one invalid line ends the box. */
export class ExecutorClient {
  readonly #box: Box
  readonly #graceMs: number
  readonly #calls = new Map<string, InFlight>()
  readonly #ready = Promise.withResolvers<boolean>()
  #isDead = false
  #isCondemned = false
  #lines = { second: 0, count: 0, progress: 0 }

  constructor(box: Box, options: ExecutorClientOptions = {}) {
    this.#box = box
    this.#graceMs = options.graceMs ?? defaultGraceMs
    readLines(
      box.stdout,
      maxLineBytes,
      (line) => this.#take(line),
      () => this.kill(),
    )
    // Not trusted; read only so that the box does not block.
    box.stderr.resume()
    for (const stream of [box.stdin, box.stdout, box.stderr]) {
      stream.on('error', () => undefined)
    }
    void box.exited.then(() => this.#die())
  }

  /** Host process that holds the box. */
  get process(): ProcessIdentity {
    return { pid: this.#box.pid, ticks: this.#box.startTicks }
  }

  get isDead(): boolean {
    return this.#isDead
  }

  /** Settles when the box is gone. */
  get exited(): Promise<unknown> {
    return this.#box.exited
  }

  /** True if the executor became ready within `timeoutMs`. */
  async isReady(timeoutMs: number): Promise<boolean> {
    const timer = setTimeout(() => this.#ready.resolve(false), timeoutMs)
    return this.#ready.promise.finally(() => clearTimeout(timer))
  }

  /** Sends one call and waits for its answer. Aborting cancels the call; a box that does not obey is killed. */
  async call(
    request: CallRequest,
    events: CallEvents,
    signal: AbortSignal,
  ): Promise<ExecutorAnswer> {
    if (this.#isDead) return { kind: 'box-died' }
    // A random id, so that a command in the box cannot guess it and forge an answer.
    const id = randomUUID()
    const { promise, resolve } = Promise.withResolvers<ExecutorAnswer>()
    this.#calls.set(id, { events, resolve })
    this.#send({ type: 'call', id, ...request })
    const grace = { timer: undefined as NodeJS.Timeout | undefined }
    const onAbort = (): void => {
      this.#send({ type: 'cancel', id })
      grace.timer = setTimeout(() => this.kill(), this.#graceMs)
    }
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
      clearTimeout(grace.timer)
      this.#calls.delete(id)
    }
  }

  /** Kills the box; calls in flight get `box-died` once it is gone. */
  kill(): void {
    this.#isCondemned = true
    void this.#box.kill().catch(() => undefined)
  }

  /** Closes standard input, which ends the executor and everything it started; kills the box after the grace period. */
  async close(): Promise<void> {
    this.#box.stdin.end()
    const timer = setTimeout(() => this.kill(), this.#graceMs)
    await this.#box.exited.finally(() => clearTimeout(timer))
  }

  #send(request: ExecutorRequest): void {
    if (!this.#isDead) this.#box.stdin.write(`${JSON.stringify(request)}\n`)
  }

  #take(line: string): void {
    if (this.#isCondemned) return
    const reply = parseReply(line)
    if (reply === undefined || this.#isFlood(reply)) this.kill()
    else if (reply.type === 'ready') this.#ready.resolve(true)
    else this.#deliver(reply)
  }

  // A late reply to a finished call is ignored.
  #deliver(reply: Exclude<ExecutorReply, { type: 'ready' }>): void {
    const call = this.#calls.get(reply.id)
    if (reply.type === 'started') call?.events.started(reply.pid)
    else if (reply.type === 'progress') call?.events.progress(reply.text, reply.isCut === true)
    else call?.resolve({ kind: 'answered', outcome: reply.outcome })
  }

  #isFlood({ type }: ExecutorReply): boolean {
    const second = Math.floor(performance.now() / 1000)
    if (this.#lines.second !== second) this.#lines = { second, count: 0, progress: 0 }
    this.#lines.count += 1
    if (type === 'progress') this.#lines.progress += 1
    const { count, progress } = this.#lines
    return count > maxLinesPerSecond || progress > maxProgressPerSecond
  }

  #die(): void {
    this.#isDead = true
    this.#ready.resolve(false)
    for (const call of this.#calls.values()) call.resolve({ kind: 'box-died' })
  }
}

interface InFlight {
  readonly events: CallEvents
  readonly resolve: (answer: ExecutorAnswer) => void
}
