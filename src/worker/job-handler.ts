import type { KeyObject } from 'node:crypto'
import PQueue from 'p-queue'
import type { Bus } from '../ports/bus.ts'
import type { Observer } from '../ports/observer.ts'
import type { CallOutcome, JobHeader } from '../rules/jobs/contract.ts'
import { expiredReason, hasExpired, type VerifiedJob, verifyJob } from '../rules/jobs/verify.ts'
import type { Log } from '../util/log.ts'
import { BoxFailure } from './box/start-box.ts'
import { cleanInterrupted, cleanOutcome, type Pipeline } from './clean-outcome.ts'
import type { Journal } from './job/journal.ts'
import { SeenJobs } from './job/poster.ts'
import type { JournalCall, Replica, Settled } from './job/replica.ts'
import { LiveProgress } from './live-progress.ts'
import { type Abilities, type PreparedCall, prepareCall } from './prepare-call.ts'
import { descendsFrom, identify } from './process-identity.ts'
import { recordRan, recordRefused, recordTaken } from './record-work.ts'
import { type CallHooks, CallStopped, type CallSurroundings, runCall } from './run-call.ts'
import { takeSlot } from './worker-tool.ts'

/** Time in milliseconds after which a running call is announced; a shorter one is told by its result alone. */
const startNoticeMs = { command: 100, other: 1_000 }

export interface JobHandlerOptions {
  readonly worker: string
  readonly verifyKeys: ReadonlyMap<string, KeyObject>
  readonly abilities: Abilities
  readonly surroundings: CallSurroundings
  readonly pipeline: Pipeline
  readonly journal: Journal
  readonly replica: Replica
  readonly bus: Bus
  readonly concurrency: number
  /** True if pids in a box are those of the host. */
  readonly sharesProcessIds: boolean
  readonly now: () => number
  readonly observer: Observer
  readonly log: Log
}

type TrueJob = Extract<VerifiedJob, { kind: 'ok' }>

interface RunningCall {
  readonly attempt: number
  readonly stop: AbortController
  hasStarted: boolean
  /** True if it could not be started before the job expired. */
  isLate?: true
  /** Start by `performance.now()`; set for previews, too. */
  startedAt?: number
}

/** Handles signed jobs: runs each at most once and answers it (PROC-02). */
export class JobHandler {
  readonly #options: JobHandlerOptions
  readonly #slots: PQueue
  readonly #running = new Map<string, RunningCall>()
  readonly #restarts = new SeenJobs()
  #stopping: CallStopped | undefined

  constructor(options: JobHandlerOptions) {
    this.#options = options
    this.#slots = new PQueue({ concurrency: options.concurrency })
  }

  /** Number of calls in progress. */
  get size(): number {
    return this.#running.size
  }

  /** Handles a job from the queue; resolves when it is answered. */
  async take(data: unknown): Promise<void> {
    const job = this.#verify(data)
    if (job.kind === 'refused') return this.#refuse(job)
    if (job.header.type === 'cancel') return this.#cancel(job.header)
    if (job.header.type === 'restart') return this.#restart(job.header)
    return this.#own(job.header, (call) => this.#carryOut(job, call))
  }

  /** Handles messages from the bus, which may only cancel calls. */
  async takeCancel(data: unknown): Promise<void> {
    const job = this.#verify(data)
    if (job.kind === 'refused') return
    if (job.header.type === 'cancel') await this.#cancel(job.header)
  }

  /** Stops all running calls; later ones are not started. */
  stopAll(reason: string): void {
    this.#stopping = new CallStopped(reason)
    for (const call of this.#running.values()) call.stop.abort(this.#stopping)
  }

  #verify(data: unknown): VerifiedJob {
    const { verifyKeys, worker } = this.#options
    return verifyJob(data, { verifyKeys, worker, nowSeconds: this.#nowSeconds() })
  }

  #nowSeconds(): number {
    return Math.floor(this.#options.now() / 1000)
  }

  /**
   * Refuses an invalid job. An authentic but expired one may have run already, so its journalled result is sent;
   * otherwise the journal bars it.
   */
  async #refuse(job: Extract<VerifiedJob, { kind: 'refused' }>): Promise<void> {
    const { log, journal, replica } = this.#options
    const { header, why } = job
    const isInHand = header !== undefined && this.#running.has(keyOf(header))
    // A copy of a running job is ignored; an expired cancellation of it is reported.
    if (isInHand && why === expiredReason && isWork(header)) return
    log.warn({ turn: header?.turnId, call: header?.callId, why }, 'a job was refused')
    recordRefused(this.#options, job)
    if (header === undefined || isInHand || !isWork(header)) return
    const outcome: CallOutcome = { kind: 'refused', why }
    if (header.type === 'preview') return replica.refuse(header, 'preview', outcome)
    const known = await journal.bar(this.#toJournalCall(header), outcome)
    if (known.kind === 'settled') await replica.answer(header, 'run', toSettled(known))
  }

  /** DECISIONS 1, 27: retires the boxes with everything that commands left running; the next call gets a new one. */
  #restart(header: JobHeader): void {
    // Threat 3: a replayed job must not end what was started since.
    if (!this.#restarts.take(header, this.#nowSeconds())) return
    this.#options.surroundings.pool.retire(header.workspaceId)
  }

  /** DECISIONS 7: stops the call, or ensures that it never starts. */
  async #cancel(header: JobHeader): Promise<void> {
    const { journal, replica } = this.#options
    const running = this.#running.get(header.callId)
    if (running !== undefined && running.attempt <= header.attempt) {
      running.stop.abort(new CallStopped('the call was stopped'))
      return
    }
    const { callId, attempt, exp } = header
    const call: JournalCall = { callId, attempt, exp, idempotent: false }
    const message = 'the call was stopped before it began'
    const known = await journal.bar(call, {
      kind: 'failed',
      error: { category: 'cancelled', message },
    })
    // If a live replica runs it, that replica answers.
    if (known.kind === 'settled') await replica.answer(header, 'cancel', toSettled(known))
  }

  /** Registers the call while it runs; a duplicate job is ignored. */
  async #own(header: JobHeader, run: (call: RunningCall) => Promise<void>): Promise<void> {
    const key = keyOf(header)
    if (this.#running.has(key)) return
    const stop = new AbortController()
    const call: RunningCall = { attempt: header.attempt, stop, hasStarted: false }
    if (this.#stopping !== undefined) call.stop.abort(this.#stopping)
    this.#running.set(key, call)
    try {
      await run(call)
    } finally {
      this.#running.delete(key)
    }
  }

  async #carryOut(job: TrueJob, call: RunningCall): Promise<void> {
    const { journal, replica } = this.#options
    const { header } = job
    const isPreview = header.type === 'preview'
    const known = isPreview ? undefined : await journal.look(this.#toJournalCall(header))
    if (known?.kind === 'running') return
    if (known?.kind === 'settled') return replica.answer(header, 'run', toSettled(known))
    recordTaken(this.#options, header)
    const takenAt = performance.now()
    using _slot = await takeSlot(this.#slots, call.stop.signal).catch(() => undefined)
    // POL-06: the job may have expired while it waited here. A call stopped meanwhile ends as stopped.
    if (!call.stop.signal.aborted && hasExpired(header, this.#nowSeconds())) {
      return this.#end(header, call, { kind: 'refused', why: expiredReason }, 0)
    }
    const prepared = prepareCall(header, job, this.#options.abilities)
    if (prepared.kind === 'ended') return this.#end(header, call, prepared.outcome, 0)
    const startedAt = performance.now()
    const outcome = await this.#run(prepared, call)
    if (outcome === undefined) return
    recordRan(this.#options, header, outcome, { takenAt, begunAt: call.startedAt })
    await this.#end(header, call, outcome, performance.now() - startedAt)
  }

  /** Stores and sends the result of a call. */
  async #end(
    header: JobHeader,
    call: RunningCall,
    outcome: CallOutcome,
    durationMs: number,
  ): Promise<void> {
    const { journal, replica } = this.#options
    const ended: Settled = { outcome, durationMs }
    if (header.type === 'preview') return replica.answer(header, 'preview', ended)
    if (call.hasStarted) {
      await journal.finish(header.callId, ended)
      return replica.answer(header, 'run', ended)
    }
    const known = await journal.bar(this.#toJournalCall(header), outcome)
    if (known.kind === 'settled') await replica.answer(header, 'run', toSettled(known))
  }

  /** Runs a call; undefined if another replica answers it. */
  async #run(prepared: PreparedCall, call: RunningCall): Promise<CallOutcome | undefined> {
    const { surroundings, pipeline, bus, log } = this.#options
    using progress = new LiveProgress(bus, prepared.header, pipeline.redactor)
    using hooks = this.#hooksFor(prepared, call, progress)
    try {
      const outcome = await runCall(prepared, surroundings, hooks, call.stop.signal)
      if (outcome.kind === 'not-started') return this.#endUnstarted(call)
      if (outcome.kind !== 'interrupted') return cleanOutcome(outcome, pipeline, prepared.command)
      if (prepared.header.type === 'run') return cleanInterrupted(outcome, pipeline)
      return failed('server_error', 'The sandbox broke down')
    } catch (error) {
      const { turnId, callId } = prepared.header
      log.error({ turn: turnId, call: callId, err: error }, 'call failed with an unexpected error')
      const isReported = error instanceof BoxFailure
      return failed('server_error', isReported ? error.message : 'The sandbox could not be started')
    }
  }

  // Another replica that started it will answer; a call that we leave when stopping is started by another replica.
  #endUnstarted(call: RunningCall): CallOutcome | undefined {
    if (this.#stopping !== undefined) return undefined
    if (call.stop.signal.aborted) {
      return failed('cancelled', 'the call was stopped before it began')
    }
    return call.isLate ? { kind: 'refused', why: expiredReason } : undefined
  }

  #hooksFor(
    prepared: PreparedCall,
    call: RunningCall,
    progress: LiveProgress,
  ): CallHooks & Disposable {
    const { header } = prepared
    const { journal, replica, sharesProcessIds } = this.#options
    const isPreview = header.type === 'preview'
    let timer: NodeJS.Timeout | undefined
    let boxPid: number | undefined
    let isStarted = false
    const announceIn = (ms: number) => setTimeout(() => replica.announceStart(header), ms)
    return {
      begin: async (box) => {
        // POL-06: the job may have expired while it waited for a box.
        if (hasExpired(header, this.#nowSeconds())) {
          call.isLate = true
          return false
        }
        boxPid = box?.pid
        call.startedAt = performance.now()
        if (isPreview) return true
        const entry = await journal.begin(this.#toJournalCall(header), box)
        if (entry.kind === 'settled') await replica.answer(header, 'run', toSettled(entry))
        call.hasStarted = entry.kind === 'started'
        if (call.hasStarted) timer = announceIn(startNoticeMs.other)
        return call.hasStarted
      },
      started: (pid) => {
        // A misbehaving box could repeat this and fill the queue.
        if (isPreview || isStarted) return
        isStarted = true
        clearTimeout(timer)
        timer = announceIn(startNoticeMs.command)
        // Recorded processes are killed after a crash, so they must belong to the box. Without the record the driver's
        // sweep ends them.
        const isOfBox = sharesProcessIds && boxPid !== undefined && descendsFrom(pid, boxPid)
        const command = isOfBox ? identify(pid) : undefined
        if (command) void journal.noteCommand(header.callId, command).catch(() => undefined)
      },
      progress: (printed, isCut) => {
        if (!isPreview) progress.report(printed, isCut)
      },
      [Symbol.dispose]: () => clearTimeout(timer),
    }
  }

  #toJournalCall(header: JobHeader): JournalCall {
    const { callId, attempt, argumentsSha256, exp, tool } = header
    const idempotent = this.#options.abilities.registry.find(tool)?.idempotent ?? false
    return { callId, attempt, argumentsSha256, exp, idempotent }
  }
}

/** Returns the key of a running call. Previews run next to the call, and a new preview does not wait for an older one. */
function keyOf({ type, callId, attempt }: JobHeader): string {
  return type === 'preview' ? `preview ${callId} ${attempt}` : callId
}

function isWork({ type }: JobHeader): boolean {
  return type === 'run' || type === 'preview'
}

function toSettled({ outcome, durationMs }: Settled): Settled {
  return { outcome, durationMs }
}

function failed(category: 'server_error' | 'cancelled', message: string): CallOutcome {
  return { kind: 'failed', error: { category, message } }
}
