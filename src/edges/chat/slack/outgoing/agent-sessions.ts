import type { webApi } from '@slack/bolt'
import type { UnderWay } from '../../../../ports/chat.ts'
import { LastWanted } from './last-wanted.ts'
import { type Place, parsePlace, toPlace } from './place.ts'

export interface SessionOptions {
  /** Without it, whatever is said ends what is under way. */
  readonly underWay?: UnderWay
  /** How often what is believed to be under way is asked for, in milliseconds. */
  readonly lookEveryMs?: number
  readonly now?: () => number
}

type Status = 'processing' | 'active' | 'suspended'

/** Another gateway may say otherwise meanwhile, and Slack takes words away after two minutes. */
const freshMs = 60_000
const words = 'is thinking…'
/** Empty: none. */
type Words = typeof words | ''
/** Slack forgets what is processing after an hour. */
const forgottenMs = 3_600_000
/** Slack shows no Stop button to an app that would not hear of it. */
const deaf = 'missing_agent_session_stopped_event_subscription'
const nobody: UnderWay = { idleOf: async (places) => places, endedWithin: async () => [] }

/**
 * SLACK-01, SLACK-05: tells Slack whether something is done for a thread, which shows it and a Stop button as long as it is
 * (https://docs.slack.dev/ai/agent-sessions). What turns there are is the core's to say: what is over is told as over, however
 * it ended. Best effort: nothing here ever rejects.
 */
export class AgentSessions {
  readonly #session: LastWanted<Status>
  /** Below the thread. */
  readonly #words: LastWanted<Words>
  readonly #underWay: UnderWay
  readonly #lookEveryMs: number
  readonly #now: () => number
  /** Where a turn is believed to be under way, and when it was heard of last. */
  readonly #working = new Map<string, number>()
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

  /** A turn is under way. */
  working(place: Place): void {
    if (place.thread === undefined) return
    this.#working.set(toPlace(place), this.#now())
    void this.#session.want(place, 'processing')
    this.#timer ??= setInterval(() => void this.#look(), this.#lookEveryMs).unref()
  }

  /** The same, and it thinks. */
  async thinking(place: Place): Promise<void> {
    this.working(place)
    await this.#words.want(place, words)
  }

  /** It waits for a person. */
  waiting(place: Place): void {
    this.#rest(place, 'suspended')
  }

  over(place: Place): void {
    this.#rest(place, 'active')
  }

  /** Something was said there that may be the last of a turn. */
  settle(place: Place): Promise<void> {
    return this.#endIdle([toPlace(place)])
  }

  /** Somebody pressed Slack's Stop button there, which stays until it is told what holds now. */
  async stopped(place: Place): Promise<void> {
    this.#session.became(place, undefined)
    await this.settle(place)
    if (this.#working.has(toPlace(place))) this.working(place)
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
    const isShown = this.#session.wanted(place) === 'processing'
    return this.#session.isOffered && this.#hasStop && isShown
  }

  /** What an earlier process of ours may have left there as under way. */
  async clearEnded(): Promise<void> {
    const places = await this.#underWay.endedWithin(forgottenMs).catch(() => [])
    for (const name of places) {
      const place = parsePlace(name)
      const isNews = place?.thread !== undefined && this.#session.wanted(place) === undefined
      if (isNews) await this.#session.want(place, 'active')
    }
  }

  close(): void {
    clearInterval(this.#timer)
    this.#session.close()
    this.#words.close()
  }

  #rest(place: Place, status: 'active' | 'suspended'): void {
    this.#working.delete(toPlace(place))
    void this.#session.want(place, status)
    void this.#words.want(place, '')
  }

  #look(): Promise<void> {
    return this.#endIdle([...this.#working.keys()])
  }

  /** A turn that is heard of while it is asked about began meanwhile. */
  async #endIdle(names: readonly string[]): Promise<void> {
    const askedAt = this.#now()
    const idle = names.length === 0 ? [] : await this.#underWay.idleOf(names).catch(() => [])
    for (const name of idle) {
      const place = parsePlace(name)
      const isNew = (this.#working.get(name) ?? 0) > askedAt
      if (place !== undefined && !isNew) this.over(place)
    }
  }
}

function whereOf({ channel, thread = '' }: Place) {
  return { channel_id: channel, thread_ts: thread }
}
