import { webApi } from '@slack/bolt'
import { dropOldest } from '../../../../util/drop-oldest.ts'
import type { StreamedTurn } from '../../outgoing/messenger.ts'
import type { AgentSessions } from './agent-sessions.ts'
import { isPrivate, type Place, parsePlace } from './place.ts'
import { StreamOffer } from './stream-offer.ts'
import { toActions } from './to-actions.ts'
import { slackCode, toDelivery } from './to-delivery.ts'
import { type Chunk, TurnStream } from './turn-stream.ts'

const person = /^slack:([TE][A-Z0-9]+):([UW][A-Z0-9]+)$/

/** It is over already, or was never a stream. */
const over: ReadonlySet<string> = new Set([
  'message_not_in_streaming_state',
  'stopped_by_user',
  'message_not_found',
])

/** `over`: its message is edited from now on. `stopped`: by a person, who wants to read no more of it. */
interface Stream {
  readonly place: string
  readonly channel: string
  readonly ts: string
  readonly turnId: string
  readonly told: TurnStream
  readonly startedAt: number
  toldAt: number
  state: 'open' | 'over' | 'stopped'
}

/** Slack ends a stream about 306 s after it began, as others measured, and one that nothing is added to after about 30 s. */
const longestMs = 240_000
const quietMs = 8_000
const remembered = 1_000
const longestWaitMs = 60_000
/** A timer may be early by the clock that counts the wait, and others are limited with us. */
const mostRemovals = 4
/** What a change of a message is answered that is streamed still. */
const streamed: ReadonlySet<string> = new Set(['streaming_state_conflict', 'cant_delete_message'])

/** SLACK-03: turns that run, as streams of Slack. What a stream cannot show any more is for edits of the same message. */
export class TurnStreams {
  readonly #client: webApi.WebClient
  readonly #sessions: AgentSessions
  readonly #now: () => number
  readonly #offer: StreamOffer
  /** Those of this process, by channel and message. */
  readonly #streams = new Map<string, Stream>()

  constructor(
    client: webApi.WebClient,
    sessions: AgentSessions,
    now: () => number = () => performance.now(),
  ) {
    this.#client = client
    this.#sessions = sessions
    this.#now = now
    this.#offer = new StreamOffer(now)
  }

  /** As `Messenger.stream`. */
  async show(turn: StreamedTurn): Promise<string | undefined> {
    const { place, messageId } = turn
    if (messageId !== undefined) {
      const stream = this.#streams.get(keyOf(parsePlace(place), messageId))
      return stream === undefined ? undefined : this.#goOn(stream, turn)
    }
    const target = this.#offer.isOpen(place) ? streamTarget(turn) : undefined
    return target === undefined ? undefined : this.#begin(target, turn)
  }

  /**
   * Changes a message that may be streamed still, by this process or one that is gone: its stream ends first. What is no
   * longer to be changed once that has taken its time stays as it is.
   */
  async change(
    place: Place,
    ts: string,
    change: () => Promise<unknown>,
    signal?: AbortSignal,
  ): Promise<void> {
    const isLate = (): boolean => signal?.aborted === true
    const stream = this.#streams.get(keyOf(place, ts))
    if (stream !== undefined) await this.#end(stream)
    if (isLate()) return
    try {
      await change()
    } catch (error) {
      if (!streamed.has(slackCode(error) ?? '')) throw error
      await endStream(this.#client, { channel: place.channel, ts })
      if (!isLate()) await change()
    }
  }

  /** Takes a message away that may be streamed still; never rejects. Where Slack asks to wait, again after that, four times in all. */
  async remove(place: Place, ts: string, triesLeft = mostRemovals): Promise<void> {
    const { channel } = place
    try {
      await this.change(place, ts, () => this.#client.chat.delete({ channel, ts }))
    } catch (error) {
      if (!(error instanceof webApi.WebAPIRateLimitedError) || triesLeft <= 1) return
      const afterMs = Math.min(error.retryAfter * 1_000, longestWaitMs)
      setTimeout(() => void this.remove(place, ts, triesLeft - 1), afterMs).unref()
    }
  }

  /** Ends all of them; never rejects. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#streams.values()].map((stream) => this.#end(stream)))
  }

  async #begin(target: StreamTarget, turn: StreamedTurn): Promise<string | undefined> {
    const told = new TurnStream(turn.running)
    const words = told.next(turn.running)
    if (words === undefined) return undefined
    const chunks = [...(await this.#stopAbove(turn)), ...words]
    const mode = { task_display_mode: told.mode }
    const first = chunks.length > 0 ? { ...mode, chunks } : mode
    try {
      const { ts } = await this.#client.chat.startStream({ ...target, ...first })
      if (ts === undefined) return undefined
      const { channel } = target
      const now = this.#now()
      const { place, turnId } = turn
      const about = { place, channel, ts, turnId, told }
      const stream: Stream = { ...about, startedAt: now, toldAt: now, state: 'open' }
      this.#streams.set(keyOf(target, ts), stream)
      dropOldest(this.#streams, remembered)
      return ts
    } catch (error) {
      this.#offer.learn(turn.place, error)
      return undefined
    }
  }

  /** What grows has no end that a button could be below: it is above, where Slack shows none of its own. */
  async #stopAbove(turn: StreamedTurn): Promise<Chunk[]> {
    const place = parsePlace(turn.place)
    if (place === undefined || this.#sessions.hasStop(place)) return []
    const blocks = toActions((await turn.buttons()).buttons)
    return blocks.length === 0 ? [] : [{ type: 'blocks', blocks }]
  }

  async #goOn(stream: Stream, turn: StreamedTurn): Promise<string | undefined> {
    const { channel, ts, told } = stream
    if (stream.state === 'stopped') return ts
    const chunks = this.#mayGoOn(stream, turn) ? told.next(turn.running) : undefined
    const isQuiet = chunks?.length === 0 && this.#now() - stream.toldAt > quietMs
    if (chunks === undefined || isQuiet) {
      stream.state = 'over'
      return undefined
    }
    if (chunks.length === 0) return ts
    try {
      await this.#client.chat.appendStream({ channel, ts, chunks })
      stream.toldAt = this.#now()
      return ts
    } catch (error) {
      // It will never be added, or perhaps it was: only an edit says all of it once.
      stream.state = slackCode(error) === 'stopped_by_user' ? 'stopped' : 'over'
      if (stream.state === 'stopped') return ts
      if (toDelivery(error).kind !== 'refused') throw error
      return undefined
    }
  }

  #mayGoOn({ state, turnId, startedAt }: Stream, turn: StreamedTurn): boolean {
    return state === 'open' && turnId === turn.turnId && this.#now() - startedAt < longestMs
  }

  async #end({ place, channel, ts, told }: Stream): Promise<void> {
    await endStream(this.#client, { channel, ts }, told.last())
    this.#streams.delete(keyOf({ channel }, ts))
    const where = parsePlace(place)
    if (where !== undefined) this.#sessions.streamEnded(where)
  }
}

function keyOf(place: Pick<Place, 'channel'> | undefined, ts: string): string {
  return `${place?.channel} ${ts}`
}

/** Ends a stream, so that its message can be changed; one that is over is fine. */
async function endStream(
  client: webApi.WebClient,
  where: { readonly channel: string; readonly ts: string },
  last: readonly Chunk[] = [],
): Promise<void> {
  const chunks = last.length > 0 ? { chunks: [...last] } : {}
  try {
    await client.chat.stopStream({ ...where, ...chunks })
  } catch (error) {
    if (!over.has(slackCode(error) ?? '')) throw error
  }
}

/** Where a stream shows, and who sees it grow. */
interface StreamTarget {
  readonly channel: string
  readonly thread_ts: string
  readonly recipient_team_id: string
  readonly recipient_user_id: string
}

/**
 * A stream is in a thread always. One person sees it grow, and all others of a channel see it once it has ended, as others
 * found: in channels everybody reads along by edits, so that only threads of direct messages have streams.
 */
function streamTarget(turn: StreamedTurn): StreamTarget | undefined {
  const place = parsePlace(turn.place)
  const [, team, user] = person.exec(turn.askedBy ?? '') ?? []
  if (place?.thread === undefined || !isPrivate(place)) return undefined
  if (team === undefined || user === undefined) return undefined
  const { channel, thread } = place
  return { channel, thread_ts: thread, recipient_team_id: team, recipient_user_id: user }
}
