import { dropOldest } from '../../../../util/drop-oldest.ts'
import type { Failed } from '../../outgoing/messenger.ts'
import { type Place, toPlace } from './place.ts'
import { slackCode, toDelivery } from './to-delivery.ts'

interface Options<State> {
  say(place: Place, state: State): Promise<unknown>
  /** What holds where nothing was said yet. */
  readonly initial: State | undefined
  /** What was answered longer ago is said again when it is wanted again. */
  readonly freshMs: number
  now(): number
}

const remembered = 2_000
/** So often in a row it is tried by itself; after that once each time it is wanted, and no sooner than so. */
const mostFailures = 5
const restMs = 10_000
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
 * long as Slack asked to wait. What could not be said is not taken for said: whoever wants it still says so again. Best effort:
 * nothing here ever rejects, and nobody waits for it.
 */
export class LastWanted<State extends string> {
  readonly #options: Options<State>
  readonly #threads = new Map<string, ToldThread<State>>()
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

  /** What Slack shows there, as far as is known; undefined: not at all. */
  said(place: Place): State | undefined {
    const answered = this.#threads.get(toPlace(place))?.answered
    return answered?.isSaid === true ? answered.state : undefined
  }

  /** Whether it is wanted there and nothing is left to be said: it was, or Slack does not take it. */
  isSettled(place: Place, state: State): boolean {
    const { wanted, answered } = this.#threads.get(toPlace(place)) ?? {}
    return wanted === state && (answered?.state === state || !this.#isOffered)
  }

  /** Resolves when it was said, is to be said later, or could not be said. */
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

  #threadAt(place: Place, wanted: State): ToldThread<State> {
    const name = toPlace(place)
    const thread = this.#threads.get(name) ?? createThread(place, wanted, this.#options.initial)
    this.#threads.delete(name)
    this.#threads.set(name, thread)
    dropOldest(this.#threads, remembered)
    return thread
  }

  async #go(thread: ToldThread<State>): Promise<void> {
    thread.isBusy = true
    while (!this.#isDone(thread)) {
      const afterMs = await this.#say(thread)
      if (afterMs !== undefined) return this.#goLater(thread, afterMs)
    }
    thread.isBusy = false
  }

  #isDone({ wanted, answered, restsUntil }: ToldThread<State>): boolean {
    const { initial, freshMs, now } = this.#options
    if (!this.#isOffered || this.#isClosed || now() < restsUntil) return true
    if (answered?.state !== wanted) return false
    return wanted === initial || now() - answered.at < freshMs
  }

  #goLater(thread: ToldThread<State>, afterMs: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      void this.#go(thread)
    }, afterMs)
    timer.unref()
    this.#timers.add(timer)
  }

  /** Answers after how many milliseconds it is to be tried again, if so. */
  async #say(thread: ToldThread<State>): Promise<number | undefined> {
    const { say, now } = this.#options
    const waitMs = this.#silentUntil - now()
    if (waitMs > 0) return waitMs
    const state = thread.wanted
    thread.isUnsure = false
    try {
      await say(thread.place, state)
    } catch (error) {
      return this.#learn(thread, state, error)
    }
    this.#note(thread, thread.isUnsure ? undefined : state)
    return undefined
  }

  #note(thread: ToldThread<State>, state: State | undefined, isSaid = true): void {
    thread.answered = state === undefined ? undefined : { state, isSaid, at: this.#options.now() }
    thread.failures = 0
  }

  #learn(thread: ToldThread<State>, state: State, error: unknown): number | undefined {
    if (unknown.has(slackCode(error) ?? '')) this.#isOffered = false
    const failed = failureOf(error)
    if (failed?.kind === 'busy') {
      this.#silentUntil = this.#options.now() + failed.afterMs
      return failed.afterMs
    }
    if (failed?.kind === 'unreachable' && this.#isOffered) return this.#noteFailure(thread)
    this.#note(thread, state, false)
    return undefined
  }

  /** Perhaps it was said all the same. */
  #noteFailure(thread: ToldThread<State>): number | undefined {
    thread.answered = undefined
    thread.failures += 1
    if (thread.failures < mostFailures) return 1_000 * 2 ** thread.failures
    thread.restsUntil = this.#options.now() + restMs
    return undefined
  }
}

function failureOf(error: unknown): Failed | undefined {
  try {
    return toDelivery(error)
  } catch {
    return undefined
  }
}

/** What is to be said of one thread, and what was. */
interface ToldThread<State> {
  readonly place: Place
  wanted: State
  /** Undefined: what Slack shows is not known. */
  answered: Answer<State> | undefined
  /** A call is under way, or waits for its time: whatever is wanted meanwhile goes behind it. */
  isBusy: boolean
  /** Slack did something by itself while a call was under way: nobody knows which came first. */
  isUnsure: boolean
  /** Since Slack answered last. */
  failures: number
  /** Nothing is tried until then. */
  restsUntil: number
}

/** What Slack was told and answered to last, or did by itself. */
interface Answer<State> {
  readonly state: State
  /** False: it does not take that there, however often it is told. */
  readonly isSaid: boolean
  readonly at: number
}

/** `shown`: what holds where nothing was said yet; undefined: nobody knows. */
function createThread<State>(
  place: Place,
  wanted: State,
  shown: State | undefined,
): ToldThread<State> {
  const answered = shown === undefined ? undefined : { state: shown, isSaid: true, at: 0 }
  return { place, wanted, answered, isBusy: false, isUnsure: false, failures: 0, restsUntil: 0 }
}
