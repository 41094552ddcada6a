import { dropOldest } from '../../../../util/drop-oldest.ts'
import type { Failed } from '../../outgoing/messenger.ts'
import { type Address, formatAddress } from './address.ts'
import { slackCode, toDelivery } from './to-delivery.ts'

interface Options<State> {
  send(place: Address, state: State): Promise<unknown>
  /** State that holds before the first call. */
  readonly initial: State | undefined
  /** Age after which a confirmed state is sent again if it is requested again, in milliseconds. */
  readonly freshMs: number
  now(): number
}

const maxThreads = 2_000
/** Number of automatic retries in a row; then one attempt per request, and at least `restMs` apart. */
const maxFailures = 5
const restMs = 10_000
/** Errors of an app or workspace without this feature, which is then disabled. */
const unsupported: ReadonlySet<string> = new Set([
  'missing_scope',
  'not_allowed_token_type',
  'unknown_method',
  'method_deprecated',
  'feature_not_enabled',
  'feature_disabled',
  'not_authorized',
])

/**
 * Sets a property that Slack shows for threads, such as a status. For each thread the last requested state is sent last, one
 * call at a time, and no earlier than Slack allows. A state that could not be sent counts as not sent, so that the next request
 * sends it again. Best effort: no method rejects.
 */
export class ThreadState<State extends string> {
  readonly #options: Options<State>
  readonly #threads = new Map<string, ThreadEntry<State>>()
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

  requested(place: Address): State | undefined {
    return this.#threads.get(formatAddress(place))?.requested
  }

  /** The state that Slack shows, as far as known; undefined if unknown. */
  shown(place: Address): State | undefined {
    const answered = this.#threads.get(formatAddress(place))?.answered
    return answered?.isConfirmed === true ? answered.state : undefined
  }

  /** Whether the state was requested and nothing remains to be sent: it was confirmed, or Slack does not support it. */
  isSettled(place: Address, state: State): boolean {
    const { requested, answered } = this.#threads.get(formatAddress(place)) ?? {}
    return requested === state && (answered?.state === state || !this.#isOffered)
  }

  /** Resolves when the state was sent, is scheduled, or failed. */
  async request(place: Address, state: State): Promise<void> {
    if (place.thread === undefined) return
    const thread = this.#threadAt(place, state)
    thread.requested = state
    if (!thread.isBusy) await this.#sendAll(thread)
  }

  /** Records a state that Slack set by itself; undefined if uncertain. */
  observed(place: Address, state: State | undefined): void {
    const thread = this.#threads.get(formatAddress(place))
    if (thread === undefined) return
    this.#record(thread, state)
    thread.isUnsure = true
  }

  close(): void {
    this.#isClosed = true
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #threadAt(place: Address, requested: State): ThreadEntry<State> {
    const name = formatAddress(place)
    const thread = this.#threads.get(name) ?? createThread(place, requested, this.#options.initial)
    this.#threads.delete(name)
    this.#threads.set(name, thread)
    dropOldest(this.#threads, maxThreads)
    return thread
  }

  async #sendAll(thread: ThreadEntry<State>): Promise<void> {
    thread.isBusy = true
    while (!this.#isDone(thread)) {
      const afterMs = await this.#send(thread)
      if (afterMs !== undefined) return this.#schedule(thread, afterMs)
    }
    thread.isBusy = false
  }

  #isDone({ requested, answered, restsUntil }: ThreadEntry<State>): boolean {
    const { initial, freshMs, now } = this.#options
    if (!this.#isOffered || this.#isClosed || now() < restsUntil) return true
    if (answered?.state !== requested) return false
    return requested === initial || now() - answered.at < freshMs
  }

  #schedule(thread: ThreadEntry<State>, afterMs: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      void this.#sendAll(thread)
    }, afterMs)
    timer.unref()
    this.#timers.add(timer)
  }

  /** Sends the requested state. Returns the time until the next attempt in milliseconds, if one is needed. */
  async #send(thread: ThreadEntry<State>): Promise<number | undefined> {
    const { send, now } = this.#options
    const waitMs = this.#silentUntil - now()
    if (waitMs > 0) return waitMs
    const state = thread.requested
    thread.isUnsure = false
    try {
      await send(thread.place, state)
    } catch (error) {
      return this.#handleFailure(thread, state, error)
    }
    this.#record(thread, thread.isUnsure ? undefined : state)
    return undefined
  }

  #record(thread: ThreadEntry<State>, state: State | undefined, isConfirmed = true): void {
    thread.answered =
      state === undefined ? undefined : { state, isConfirmed, at: this.#options.now() }
    thread.failures = 0
  }

  #handleFailure(thread: ThreadEntry<State>, state: State, error: unknown): number | undefined {
    if (unsupported.has(slackCode(error) ?? '')) this.#isOffered = false
    const failed = failureOf(error)
    if (failed?.kind === 'busy') {
      this.#silentUntil = this.#options.now() + failed.afterMs
      return failed.afterMs
    }
    if (failed?.kind === 'unreachable' && this.#isOffered) return this.#recordFailure(thread)
    this.#record(thread, state, false)
    return undefined
  }

  /** Forgets the confirmed state, as the call may have arrived. */
  #recordFailure(thread: ThreadEntry<State>): number | undefined {
    thread.answered = undefined
    thread.failures += 1
    if (thread.failures < maxFailures) return 1_000 * 2 ** thread.failures
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

/** Requested and confirmed state of a thread. */
interface ThreadEntry<State> {
  readonly place: Address
  requested: State
  /** Undefined if the state that Slack shows is unknown. */
  answered: Answer<State> | undefined
  /** A call is under way or scheduled; later requests follow it. */
  isBusy: boolean
  /** Slack changed the state during a call, so the order is unknown. */
  isUnsure: boolean
  /** Failures since Slack's last answer. */
  failures: number
  /** Time before which nothing is tried. */
  restsUntil: number
}

/** The last state that Slack confirmed, refused, or set by itself. */
interface Answer<State> {
  readonly state: State
  /** False if Slack refused it there; repeating is useless. */
  readonly isConfirmed: boolean
  readonly at: number
}

/** `shown`: the state that holds before the first call; undefined if unknown. */
function createThread<State>(
  place: Address,
  requested: State,
  shown: State | undefined,
): ThreadEntry<State> {
  const answered = shown === undefined ? undefined : { state: shown, isConfirmed: true, at: 0 }
  return { place, requested, answered, isBusy: false, isUnsure: false, failures: 0, restsUntil: 0 }
}
