import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type CallOutcome, callOutcome, type WorkerMessage } from '../../rules/jobs/contract.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { readIfPresent, replaceFile } from '../durable-file.ts'
import { identify, isAlive, processScope } from '../process-identity.ts'
import type { Poster } from './poster.ts'

const processIdentity = z.strictObject({ pid: z.number().int(), ticks: z.number() })

/** Stored result of a call. */
export const settled = z.strictObject({
  outcome: callOutcome,
  durationMs: z.number().nonnegative(),
})

/** Started or barred call on disk. */
export const journalEntry = z.strictObject({
  v: z.literal(1),
  callId: z.string(),
  attempt: z.number().int().positive(),
  /** Digest of the arguments that were started; absent if a cancellation barred the call. */
  argumentsSha256: z.string().optional(),
  replica: z.string(),
  /** Scope in which the process ids below are valid. */
  scope: z.string(),
  /** True if it may be run again after a crash. */
  idempotent: z.boolean(),
  /** Expiry of the job in Unix seconds. */
  exp: z.number().int(),
  /** Executor, and its shell command if the pid is that of the host. */
  box: processIdentity.optional(),
  command: processIdentity.optional(),
  /** Set if the call was settled without being started: refused or cancelled. */
  barred: settled.optional(),
})

export const interrupted: Settled = { outcome: { kind: 'interrupted' }, durationMs: 0 }

const neverStarted: ReadonlySet<CallOutcome['kind']> = new Set(['elsewhere', 'changed', 'refused'])

/** Milliseconds after which a silent replica counts as dead, if its process cannot be inspected. */
const silentMs = 15_000

const beatMs = 2_000

const beat = z.strictObject({ scope: z.string(), pid: z.number().int(), ticks: z.number() })

/** Sends `hello` now and every `everyMs`. A failed one is not repeated. */
export class Heartbeat implements Disposable {
  readonly #poster: Poster
  readonly #hello: (beat: number) => Extract<WorkerMessage, { type: 'hello' }>
  readonly #timer: NodeJS.Timeout
  #beats = 0
  #isSending = false

  constructor(
    poster: Poster,
    hello: (beat: number) => Extract<WorkerMessage, { type: 'hello' }>,
    everyMs: number,
  ) {
    this.#poster = poster
    this.#hello = hello
    this.#timer = setInterval(() => void this.#beat(), everyMs)
    void this.#beat()
  }

  /** Returns the next sequence number. */
  next(): number {
    this.#beats += 1
    return this.#beats
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  async #beat(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    const hello = this.#hello(this.next())
    await this.#poster.tryOnce(`hello-${hello.replica}-${hello.beat}`, hello)
    this.#isSending = false
  }
}

/** Call that an answer belongs to. */
interface Addressee {
  readonly callId: string
  readonly attempt: number
}

/** Process of a worker, which sends messages to agents under its own id. */
export class Replica {
  readonly id: string
  readonly #worker: string
  readonly #poster: Poster
  readonly #now: () => number

  constructor(id: string, worker: string, poster: Poster, now: () => number) {
    this.id = id
    this.#worker = worker
    this.#poster = poster
    this.#now = now
  }

  /** Sends the result of a call; resolves when the queue has it. */
  async answer(
    call: Addressee,
    jobType: 'run' | 'preview' | 'cancel',
    ended: Settled,
  ): Promise<void> {
    const { callId, attempt } = call
    await this.#post('result', callId, attempt, {
      type: 'result',
      ...this.from(),
      callId,
      attempt,
      jobType,
      ...ended,
    })
  }

  /** Settles a call that never started. */
  async refuse(
    call: Addressee,
    jobType: 'run' | 'preview' | 'cancel',
    outcome: CallOutcome,
  ): Promise<void> {
    await this.answer(call, jobType, { outcome, durationMs: 0 })
  }

  /** Announces that a call is running, without waiting. */
  announceStart({ callId, attempt }: Addressee): void {
    void this.#post('started', callId, attempt, {
      type: 'started',
      ...this.from(),
      callId,
      attempt,
    })
  }

  /** Returns the fields common to all messages of this replica. */
  from(): { readonly worker: string; readonly replica: string; readonly at: string } {
    return {
      worker: this.#worker,
      replica: this.id,
      at: new Date(this.#now()).toISOString(),
    }
  }

  // A unique id, since the queue ignores one that it still holds.
  #post(kind: string, callId: string, attempt: number, message: WorkerMessage): Promise<boolean> {
    const id = `${kind}-${callId}-${attempt}-${randomBytes(6).toString('hex')}`
    return this.#poster.post(id, message)
  }
}

/**
 * Tracks which replicas that share a journal are alive. Within one pid namespace it checks the process; across containers
 * and hosts the age of a file that each replica keeps touching, by the file server's clock.
 */
interface ReplicaBeats extends Disposable {
  isAlive(replica: string): Promise<boolean>
  /** Returns replicas that have a file and are not alive. */
  dead(): Promise<readonly string[]>
  forget(replica: string): Promise<void>
  /**
   * Returns the time by the clock that dates the files, in milliseconds since 1970; a replica's own clock may differ by
   * hours.
   */
  fileClock(): Promise<number>
}

/** Starts the beat of `replica` in `directory`, created if missing. */
export async function startBeats(directory: string, replica: string): Promise<ReplicaBeats> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const scope = processScope()
  const own = JSON.stringify({ scope, pid: process.pid, ticks: identify(process.pid)?.ticks ?? 0 })
  const touch = () => replaceFile(join(directory, replica), own)
  await touch()
  // The next beat makes up for a failed one.
  const timer = setInterval(() => void touch().catch(() => undefined), beatMs).unref()

  const isReplicaAlive = async (other: string): Promise<boolean> => {
    if (other === replica) return true
    const text = await readIfPresent(join(directory, other))
    const found = beat.safeParse(tryParseJson(text))
    if (found.success && found.data.scope === scope) return isAlive(found.data)
    return text !== undefined && (await isFresh(other))
  }
  const fileClock = async (): Promise<number> => {
    await touch()
    return (await stat(join(directory, replica))).mtimeMs
  }
  const isFresh = async (other: string): Promise<boolean> => {
    const [now, theirs] = await Promise.all([
      fileClock(),
      stat(join(directory, other)).catch(() => undefined),
    ])
    return theirs !== undefined && now - theirs.mtimeMs < silentMs
  }
  return {
    isAlive: isReplicaAlive,
    async dead() {
      const names = (await readdir(directory)).filter((name) => !name.startsWith('.'))
      const living = await Promise.all(names.map(isReplicaAlive))
      return names.filter((_name, index) => !living[index])
    },
    forget: (other) => rm(join(directory, other), { force: true }),
    fileClock,
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

export type Settled = z.infer<typeof settled>

export type JournalEntry = z.infer<typeof journalEntry>

/** Identity of a call in the journal. */
export type JournalCall = Pick<
  JournalEntry,
  'callId' | 'attempt' | 'argumentsSha256' | 'idempotent' | 'exp'
>

/** True if `call` may start although `entry` ended like this: nothing was done, or repeating it is harmless. */
export function mayFollow(call: JournalCall, entry: JournalEntry, ended: Settled): boolean {
  if (entry.idempotent && call.idempotent && ended.outcome.kind === 'interrupted') {
    return call.attempt >= entry.attempt
  }
  const wasIdle = entry.barred !== undefined || neverStarted.has(ended.outcome.kind)
  return wasIdle && call.attempt > entry.attempt
}
