import type { webApi } from '@slack/bolt'
import type { ActivityState } from '../../../../domain/turn.ts'
import type { ActivityReader } from '../../../../ports/chat.ts'
import { dropOldest } from '../../../../util/drop-oldest.ts'
import { LastWanted } from './last-wanted.ts'
import { type Place, parsePlace, toPlace } from './place.ts'

export interface SessionOptions {
  /** Without it, whatever is said ends what is under way. */
  readonly underWay?: ActivityReader
  /** How often it is asked what holds where a turn is believed to be live, in milliseconds. */
  readonly lookEveryMs?: number
  readonly now?: () => number
}

type Status = 'processing' | 'active' | 'suspended'
const statuses: Readonly<Record<ActivityState, Status>> = {
  idle: 'active',
  working: 'processing',
  waiting: 'suspended',
}

/** Another gateway may say otherwise meanwhile, and Slack takes words away after two minutes. */
const freshMs = 60_000
const words = 'is thinking…'
/** Empty: none. */
type Words = typeof words | ''
/** Slack forgets what is processing after an hour. */
const forgottenMs = 3_600_000
/** Slack shows no Stop button to an app that would not hear of it. */
const deaf = 'missing_agent_session_stopped_event_subscription'
const remembered = 2_000
const nobody: ActivityReader = {
  statesOf: async (places) => new Map(places.map((place) => [place, 'idle'])),
  endedWithin: async () => [],
}

/**
 * SLACK-01, SLACK-05: tells Slack whether something is done for a thread, which shows it and a Stop button as long as it is
 * (https://docs.slack.dev/ai/agent-sessions). What the turns of a thread are at is the core's to say, and asked of it whenever
 * that may have changed: no message tells it by its kind, as cards stand in other threads than the turn that asks, and the next
 * turn may have begun before an answer went. Best effort: nothing here ever rejects.
 */
export class AgentSessions {
  readonly #session: LastWanted<Status>
  /** Below the thread. */
  readonly #words: LastWanted<Words>
  readonly #underWay: ActivityReader
  readonly #lookEveryMs: number
  readonly #now: () => number
  /** Where a turn is believed to be live, or its end was not said yet, and when one was last heard of at work. */
  readonly #live = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #hasStop = false

  constructor(client: webApi.WebClient, options: SessionOptions = {}) {
    const { underWay = nobody, lookEveryMs = 15_000, now = () => performance.now() } = options
    this.#underWay = underWay
    this.#lookEveryMs = lookEveryMs
    this.#now = now
    const { sessions } = client.agents
    this.#session = new LastWanted<Status>({
      say: async (place, status) => {
        const answer = await sessions.setStatus({ ...whereOf(place), status })
        this.#hasStop = answer.warning !== deaf
      },
      initial: undefined,
      freshMs,
      now,
    })
    const { threads } = client.assistant
    const say = (place: Place, status: Words) => threads.setStatus({ ...whereOf(place), status })
    this.#words = new LastWanted<Words>({ say, initial: '', freshMs, now })
  }

  /** A turn is worked on. */
  working(place: Place): void {
    if (place.thread === undefined) return
    this.#keep(toPlace(place), this.#now())
    void this.#session.want(place, 'processing')
  }

  /** The same, and it thinks. */
  async thinking(place: Place): Promise<void> {
    this.working(place)
    await this.#words.want(place, words)
  }

  /** Something was said there, or on a card there: its turn may be at something else now. */
  async settle(place: Place): Promise<void> {
    if (place.thread === undefined) return
    const name = toPlace(place)
    this.#keep(name, this.#live.get(name) ?? 0)
    for (const [, status] of await this.#ask([name])) await this.#tell(place, status)
  }

  /** Somebody pressed Slack's Stop button there, which stays until it is told what holds now. */
  async stopped(place: Place): Promise<void> {
    this.#session.became(place, undefined)
    await this.settle(place)
  }

  /** We wrote there, which takes the words away. */
  wrote(place: Place): void {
    this.#words.became(place, '')
  }

  /** A stream ended, which leaves the session active; what goes on says so again. */
  streamEnded(place: Place): void {
    this.#session.became(place, 'active')
  }

  /** Whether Slack shows a Stop button of its own there. */
  hasStop(place: Place): boolean {
    const isShown = this.#session.said(place) === 'processing'
    return this.#session.isOffered && this.#hasStop && isShown
  }

  /** What an earlier process of ours may have left there as under way. */
  async clearEnded(): Promise<void> {
    const places = await this.#underWay.endedWithin(forgottenMs).catch(() => [])
    for (const name of places) {
      const place = parsePlace(name)
      if (place?.thread === undefined || this.#session.wanted(place) !== undefined) continue
      this.#keep(name, 0)
      await this.#tell(place, 'active')
    }
  }

  close(): void {
    clearInterval(this.#timer)
    this.#session.close()
    this.#words.close()
  }

  #keep(name: string, heardAt: number): void {
    this.#live.delete(name)
    this.#live.set(name, heardAt)
    dropOldest(this.#live, remembered)
    this.#timer ??= setInterval(() => void this.#look(), this.#lookEveryMs).unref()
  }

  /** What holds and was said is not said again: a card may wait for days. */
  async #look(): Promise<void> {
    for (const [place, status] of await this.#ask([...this.#live.keys()])) {
      const isNews = status === 'active' || this.#session.said(place) !== status
      if (isNews) void this.#tell(place, status)
    }
  }

  /** A turn that is heard of while it is asked about began meanwhile. */
  async #ask(names: readonly string[]): Promise<readonly (readonly [Place, Status])[]> {
    const askedAt = this.#now()
    const states = await this.#underWay.statesOf(names).catch(() => [])
    return [...states].flatMap(([name, state]) => {
      const place = parsePlace(name)
      const isNew = (this.#live.get(name) ?? 0) > askedAt
      return place === undefined || isNew ? [] : [[place, statuses[state]] as const]
    })
  }

  async #tell(place: Place, status: Status): Promise<void> {
    if (status !== 'processing') void this.#words.want(place, '')
    await this.#session.want(place, status)
    if (this.#session.isSettled(place, 'active')) this.#live.delete(toPlace(place))
  }
}

function whereOf({ channel, thread = '' }: Place) {
  return { channel_id: channel, thread_ts: thread }
}
