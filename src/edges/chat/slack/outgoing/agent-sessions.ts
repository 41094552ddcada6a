import type { webApi } from '@slack/bolt'
import { dropOldest } from '../../../../util/drop-oldest.ts'
import type { Place } from './place.ts'
import { toPlace } from './place.ts'
import { slackCode, toDelivery } from './to-delivery.ts'

type Status = 'processing' | 'active' | 'suspended'

/** While it is believed to be said already. Slack forgets it after an hour; another gateway may say otherwise meanwhile. */
const freshMs = 60_000
const remembered = 2_000
/** Of an app that is no agent, or a workspace without sessions. */
const unknown: ReadonlySet<string> = new Set([
  'missing_scope',
  'not_allowed_token_type',
  'unknown_method',
  'method_deprecated',
  'feature_not_enabled',
  'feature_disabled',
  'not_authorized',
])
/** Slack shows no Stop button to an app that would not hear of it. */
const deaf = 'missing_agent_session_stopped_event_subscription'

/**
 * SLACK-05: tells Slack whether something is done for a thread, which shows a Stop button as long as it is
 * (https://docs.slack.dev/ai/agent-sessions). Best effort: nothing here ever rejects.
 */
export class AgentSessions {
  readonly #client: webApi.WebClient
  readonly #now: () => number
  readonly #working = new Map<string, { readonly turnId: string; readonly at: number }>()
  #isOffered = true
  #hasStop = false
  #silentUntil = 0

  constructor(client: webApi.WebClient, now: () => number = () => performance.now()) {
    this.#client = client
    this.#now = now
  }

  /** A turn is under way. */
  async working(place: Place, turnId: string): Promise<void> {
    const name = toPlace(place)
    const known = this.#working.get(name)
    if (known?.turnId === turnId && this.#now() - known.at < freshMs) return
    this.#working.delete(name)
    this.#working.set(name, { turnId, at: this.#now() })
    dropOldest(this.#working, remembered)
    await this.#say(place, 'processing')
  }

  /** Nothing is done just now: a turn is over, or waits for a person. */
  async idle(place: Place, status: 'active' | 'suspended'): Promise<void> {
    this.#working.delete(toPlace(place))
    await this.#say(place, status)
  }

  /** Slack took it for idle by itself; what goes on says so again. */
  forget(name: string): void {
    this.#working.delete(name)
  }

  isWorking(place: Place): boolean {
    return this.#working.has(toPlace(place))
  }

  /** Whether Slack shows a Stop button of its own there. */
  hasStop(place: Place): boolean {
    return this.#isOffered && this.#hasStop && this.isWorking(place)
  }

  async #say({ channel, thread }: Place, status: Status): Promise<void> {
    if (!this.#isOffered || thread === undefined || this.#now() < this.#silentUntil) return
    try {
      const { sessions } = this.#client.agents
      const where = { channel_id: channel, thread_ts: thread }
      const answer = await sessions.setStatus({ ...where, status })
      this.#hasStop = answer.warning !== deaf
    } catch (error) {
      this.#learn(error)
    }
  }

  #learn(error: unknown): void {
    const code = slackCode(error)
    if (code !== undefined && unknown.has(code)) this.#isOffered = false
    const failed = failureOf(error)
    if (failed?.kind === 'busy') this.#silentUntil = this.#now() + failed.afterMs
  }
}

function failureOf(error: unknown): ReturnType<typeof toDelivery> | undefined {
  try {
    return toDelivery(error)
  } catch {
    return undefined
  }
}
