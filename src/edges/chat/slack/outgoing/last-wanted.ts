import { dropOldest } from '../../../../util/drop-oldest.ts'
import type { Failed } from '../../outgoing/messenger.ts'
import { type Place, toPlace } from './place.ts'
import { slackCode, toDelivery } from './to-delivery.ts'

interface Thread<State> {
  readonly place: Place
  wanted: State
  /** As far as is known; undefined: not at all. */
  said: State | undefined
  saidAt: number
  /** A call is under way, or waits for its time: whatever is wanted meanwhile goes behind it. */
  isBusy: boolean
  /** Slack did something by itself while a call was under way: nobody knows which came first. */
  isUnsure: boolean
  failures: number
}

interface Options<State> {
  say(place: Place, state: State): Promise<unknown>
  /** What holds where nothing was said yet. */
  readonly initial: State | undefined
  /** What was said longer ago is said again when it is wanted again. */
  readonly freshMs: number
  now(): number
}

const remembered = 2_000
const mostFailures = 5
/** Of an app, or a workspace, that has no such thing: it is not asked for again. */
const unknown: ReadonlySet<string> = new Set([
  'missing_scope',
  'not_allowed_token_type',
  'unknown_method',
  'method_deprecated',
  'feature_not_enabled',
  'feature_disabled',
  'not_authorized',
])

/**
 * Something that Slack shows of threads: of each the last that was wanted is said last, one call after the other, and after as
 * long as Slack asked to wait. Best effort: nothing here ever rejects, and nobody waits for it.
 */
export class LastWanted<State extends string> {
  readonly #options: Options<State>
  readonly #threads = new Map<string, Thread<State>>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #isOffered = true
  #isClosed = false
  #silentUntil = 0

  constructor(options: Options<State>) {
    this.#options = options
  }

  get isOffered(): boolean {
    return this.#isOffered
  }

  wanted(place: Place): State | undefined {
    return this.#threads.get(toPlace(place))?.wanted
  }

  /** Resolves when it was said, or is to be said later. */
  async want(place: Place, state: State): Promise<void> {
    if (place.thread === undefined) return
    const thread = this.#threadAt(place, state)
    thread.wanted = state
    if (!thread.isBusy) await this.#go(thread)
  }

  /** Slack did it by itself; undefined: perhaps. */
  became(place: Place, state: State | undefined): void {
    const thread = this.#threads.get(toPlace(place))
    if (thread === undefined) return
    this.#note(thread, state)
    thread.isUnsure = true
  }

  close(): void {
    this.#isClosed = true
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #threadAt(place: Place, wanted: State): Thread<State> {
    const { initial, now } = this.#options
    const name = toPlace(place)
    const fresh = {
      place,
      wanted,
      said: initial,
      saidAt: now(),
      isBusy: false,
      isUnsure: false,
      failures: 0,
    }
    const thread = this.#threads.get(name) ?? fresh
    this.#threads.delete(name)
    this.#threads.set(name, thread)
    dropOldest(this.#threads, remembered)
    return thread
  }

  async #go(thread: Thread<State>): Promise<void> {
    thread.isBusy = true
    while (!this.#isDone(thread)) {
      const afterMs = await this.#say(thread)
      if (afterMs !== undefined) return this.#goLater(thread, afterMs)
    }
    thread.isBusy = false
  }

  #isDone({ wanted, said, saidAt }: Thread<State>): boolean {
    const { initial, freshMs, now } = this.#options
    const isFresh = said === initial || now() - saidAt < freshMs
    return !this.#isOffered || this.#isClosed || (said === wanted && isFresh)
  }

  #goLater(thread: Thread<State>, afterMs: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      void this.#go(thread)
    }, afterMs)
    timer.unref()
    this.#timers.add(timer)
  }

  /** Answers after how many milliseconds it is to be tried again, if so. */
  async #say(thread: Thread<State>): Promise<number | undefined> {
    const { say, now } = this.#options
    const waitMs = this.#silentUntil - now()
    if (waitMs > 0) return waitMs
    const state = thread.wanted
    thread.isUnsure = false
    try {
      await say(thread.place, state)
    } catch (error) {
      const afterMs = this.#learn(thread, error)
      if (afterMs !== undefined) return afterMs
    }
    this.#note(thread, thread.isUnsure ? undefined : state)
    return undefined
  }

  #note(thread: Thread<State>, said: State | undefined): void {
    thread.said = said
    thread.saidAt = this.#options.now()
    thread.failures = 0
  }

  #learn(thread: Thread<State>, error: unknown): number | undefined {
    if (unknown.has(slackCode(error) ?? '')) this.#isOffered = false
    const failed = failureOf(error)
    if (failed?.kind === 'busy') {
      this.#silentUntil = this.#options.now() + failed.afterMs
      return failed.afterMs
    }
    thread.failures += 1
    const mayPass = failed?.kind === 'unreachable' && this.#isOffered
    return mayPass && thread.failures < mostFailures ? 1_000 * 2 ** thread.failures : undefined
  }
}

function failureOf(error: unknown): Failed | undefined {
  try {
    return toDelivery(error)
  } catch {
    return undefined
  }
}
