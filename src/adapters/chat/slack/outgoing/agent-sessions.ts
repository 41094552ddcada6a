import type { webApi } from '@slack/bolt'
import type { ActivityState } from '../../../../domain/turn.ts'
import type { ActivityReader } from '../../../../ports/chat.ts'
import { dropOldest } from '../../../../util/drop-oldest.ts'
import { type Address, formatAddress, parseAddress } from './address.ts'
import { ThreadState } from './thread-state.ts'

export interface SessionOptions {
  /** Source of the state of turns. Without it, every durable message counts as the end of a turn. */
  readonly turnStates?: ActivityReader
  /** Interval at which the state of live turns is checked, in milliseconds. */
  readonly checkIntervalMs?: number
  readonly now?: () => number
}

type Status = 'processing' | 'active' | 'suspended'
const statuses: Readonly<Record<ActivityState, Status>> = {
  idle: 'active',
  working: 'processing',
  waiting: 'suspended',
}

/** Time after which a status is repeated: another gateway may have changed it, and Slack removes the text after two minutes. */
const freshMs = 60_000
const words = 'is thinking…'
/** '' for no text. */
type Words = typeof words | ''
/** Slack forgets a status `processing` after an hour. */
const forgottenMs = 3_600_000
/** Warning for an app without the event subscription, for which Slack shows no Stop button. */
const notSubscribed = 'missing_agent_session_stopped_event_subscription'
const maxThreads = 2_000
const noTurnStates: ActivityReader = {
  statesOf: async (places) => new Map(places.map((place) => [place, 'idle'])),
  endedWithin: async () => [],
}

/**
 * Tells Slack whether a thread has a running turn, for which it shows an indicator and a Stop button
 * (https://docs.slack.dev/ai/agent-sessions). The state is asked of the core whenever it may have changed. It cannot be derived
 * from messages, as cards may be in other threads than their turn, and the next turn may have started before an answer is
 * delivered. Best effort: no method rejects (SLACK-01, SLACK-05).
 */
export class AgentSessions {
  readonly #session: ThreadState<Status>
  /** Text below the thread. */
  readonly #words: ThreadState<Words>
  readonly #turnStates: ActivityReader
  readonly #checkIntervalMs: number
  readonly #now: () => number
  /** Threads that may have a live turn, or whose end is not reported yet, with the time of the last sign of work. */
  readonly #live = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #hasStop = false

  constructor(client: webApi.WebClient, options: SessionOptions = {}) {
    const {
      turnStates = noTurnStates,
      checkIntervalMs = 15_000,
      now = () => performance.now(),
    } = options
    this.#turnStates = turnStates
    this.#checkIntervalMs = checkIntervalMs
    this.#now = now
    const { sessions } = client.agents
    this.#session = new ThreadState<Status>({
      send: async (place, status) => {
        const answer = await sessions.setStatus({ ...whereOf(place), status })
        this.#hasStop = answer.warning !== notSubscribed
      },
      initial: undefined,
      freshMs,
      now,
    })
    const { threads } = client.assistant
    const send = (place: Address, status: Words) => threads.setStatus({ ...whereOf(place), status })
    this.#words = new ThreadState<Words>({ send, initial: '', freshMs, now })
  }

  /** Reports that a turn is being worked on. */
  working(place: Address): void {
    if (place.thread === undefined) return
    this.#track(formatAddress(place), this.#now())
    void this.#session.request(place, 'processing')
  }

  /** Reports that a turn is being worked on and thinks. */
  async thinking(place: Address): Promise<void> {
    this.working(place)
    await this.#words.request(place, words)
  }

  /** Updates the status after a durable message in the thread, or on a card there. */
  async settle(place: Address): Promise<void> {
    if (place.thread === undefined) return
    const name = formatAddress(place)
    this.#track(name, this.#live.get(name) ?? 0)
    for (const [, status] of await this.#currentStates([name])) await this.#report(place, status)
  }

  /** Updates the status after Slack's Stop button was tapped, which stays until then. */
  async stopped(place: Address): Promise<void> {
    this.#session.observed(place, undefined)
    await this.settle(place)
  }

  /** Records that the bot wrote in the thread, which removes the text. */
  wrote(place: Address): void {
    this.#words.observed(place, '')
  }

  /** Records that a stream ended, which makes the session active; a turn that continues reports itself again. */
  streamEnded(place: Address): void {
    this.#session.observed(place, 'active')
  }

  /** Whether Slack shows its own Stop button in the thread. */
  hasStop(place: Address): boolean {
    const isShown = this.#session.shown(place) === 'processing'
    return this.#session.isOffered && this.#hasStop && isShown
  }

  /** Clears statuses that an earlier process may have left behind. */
  async clearEnded(): Promise<void> {
    const places = await this.#turnStates.endedWithin(forgottenMs).catch(() => [])
    for (const name of places) {
      const place = parseAddress(name)
      if (place?.thread === undefined || this.#session.requested(place) !== undefined) continue
      this.#track(name, 0)
      await this.#report(place, 'active')
    }
  }

  close(): void {
    clearInterval(this.#timer)
    this.#session.close()
    this.#words.close()
  }

  #track(name: string, heardAt: number): void {
    this.#live.delete(name)
    this.#live.set(name, heardAt)
    dropOldest(this.#live, maxThreads)
    this.#timer ??= setInterval(() => void this.#checkLive(), this.#checkIntervalMs).unref()
  }

  /** Reports changes. A status that holds is not repeated, as a card may wait for days. */
  async #checkLive(): Promise<void> {
    for (const [place, status] of await this.#currentStates([...this.#live.keys()])) {
      const isNews = status === 'active' || this.#session.shown(place) !== status
      if (isNews) void this.#report(place, status)
    }
  }

  /** Current states. A turn that reported work during the query is newer than its result. */
  async #currentStates(names: readonly string[]): Promise<readonly (readonly [Address, Status])[]> {
    const askedAt = this.#now()
    const states = await this.#turnStates.statesOf(names).catch(() => [])
    return [...states].flatMap(([name, state]) => {
      const place = parseAddress(name)
      const isNew = (this.#live.get(name) ?? 0) > askedAt
      return place === undefined || isNew ? [] : [[place, statuses[state]] as const]
    })
  }

  async #report(place: Address, status: Status): Promise<void> {
    if (status !== 'processing') void this.#words.request(place, '')
    await this.#session.request(place, status)
    if (this.#session.isSettled(place, 'active')) this.#live.delete(formatAddress(place))
  }
}

function whereOf({ channel, thread = '' }: Address) {
  return { channel_id: channel, thread_ts: thread }
}
