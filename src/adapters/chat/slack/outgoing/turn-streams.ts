import { webApi } from '@slack/bolt'
import { dropOldest } from '../../../../util/drop-oldest.ts'
import type { StreamedTurn } from '../../outgoing/messenger.ts'
import { type Address, isPrivate, parseAddress } from './address.ts'
import type { AgentSessions } from './agent-sessions.ts'
import { StreamSupport } from './stream-support.ts'
import { toActions } from './to-actions.ts'
import { slackCode, toDelivery } from './to-delivery.ts'
import { type Chunk, TurnStream } from './turn-stream.ts'

const person = /^slack:([TE][A-Z0-9]+):([UW][A-Z0-9]+)$/

/** Errors for a message that is no longer a stream, or never was. */
const notStreaming: ReadonlySet<string> = new Set([
  'message_not_in_streaming_state',
  'stopped_by_user',
  'message_not_found',
])

/** `over`: the message is edited from now on. `stopped`: a person stopped it and it stays as it is. */
interface Stream {
  readonly place: string
  readonly channel: string
  readonly ts: string
  readonly turnId: string
  readonly content: TurnStream
  readonly startedAt: number
  appendedAt: number
  state: 'open' | 'over' | 'stopped'
}

/** Slack ends a stream after about 306 s, and one without additions after about 30 s, according to measurements by others. */
const maxStreamMs = 240_000
const maxIdleMs = 8_000
const maxStreams = 1_000
const maxWaitMs = 60_000
/** More than one, as timers may fire early and other processes count towards the same limit. */
const maxRemovals = 4
/** Errors for changing a message that is still a stream. */
const streamed: ReadonlySet<string> = new Set(['streaming_state_conflict', 'cant_delete_message'])

/** Shows running turns as Slack streams (SLACK-03). When a stream can no longer show a turn, its message is edited. */
export class TurnStreams {
  readonly #client: webApi.WebClient
  readonly #sessions: AgentSessions
  readonly #now: () => number
  readonly #support: StreamSupport
  /** Streams of this process, by channel and message. */
  readonly #streams = new Map<string, Stream>()

  constructor(
    client: webApi.WebClient,
    sessions: AgentSessions,
    now: () => number = () => performance.now(),
  ) {
    this.#client = client
    this.#sessions = sessions
    this.#now = now
    this.#support = new StreamSupport(now)
  }

  /** See `Messenger.stream`. */
  async show(turn: StreamedTurn): Promise<string | undefined> {
    const { place, messageId } = turn
    if (messageId !== undefined) {
      const stream = this.#streams.get(keyOf(parseAddress(place), messageId))
      return stream === undefined ? undefined : this.#append(stream, turn)
    }
    const target = this.#support.isOpen(place) ? streamTarget(turn) : undefined
    return target === undefined ? undefined : this.#start(target, turn)
  }

  /**
   * Changes a message that may still be a stream of this process or an earlier one; the stream is ended first. If the signal
   * has aborted by then, the message stays as it is.
   */
  async change(
    place: Address,
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

  /** Deletes a message that may still be a stream; never rejects. If Slack asks to wait, it is retried, four times in total. */
  async remove(place: Address, ts: string, triesLeft = maxRemovals): Promise<void> {
    const { channel } = place
    try {
      await this.change(place, ts, () => this.#client.chat.delete({ channel, ts }))
    } catch (error) {
      if (!(error instanceof webApi.WebAPIRateLimitedError) || triesLeft <= 1) return
      const afterMs = Math.min(error.retryAfter * 1_000, maxWaitMs)
      setTimeout(() => void this.remove(place, ts, triesLeft - 1), afterMs).unref()
    }
  }

  /** Ends all streams; never rejects. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#streams.values()].map((stream) => this.#end(stream)))
  }

  async #start(target: StreamTarget, turn: StreamedTurn): Promise<string | undefined> {
    const content = new TurnStream(turn.running)
    const words = content.next(turn.running)
    if (words === undefined) return undefined
    const chunks = [...(await this.#stopChunks(turn)), ...words]
    const mode = { task_display_mode: content.mode }
    const first = chunks.length > 0 ? { ...mode, chunks } : mode
    try {
      const { ts } = await this.#client.chat.startStream({ ...target, ...first })
      if (ts === undefined) return undefined
      const { channel } = target
      const now = this.#now()
      const { place, turnId } = turn
      const about = { place, channel, ts, turnId, content }
      const stream: Stream = { ...about, startedAt: now, appendedAt: now, state: 'open' }
      this.#streams.set(keyOf(target, ts), stream)
      dropOldest(this.#streams, maxStreams)
      return ts
    } catch (error) {
      this.#support.learn(turn.place, error)
      return undefined
    }
  }

  /** Stop button above the stream, as nothing can stand below a growing message; omitted if Slack shows its own. */
  async #stopChunks(turn: StreamedTurn): Promise<Chunk[]> {
    const place = parseAddress(turn.place)
    if (place === undefined || this.#sessions.hasStop(place)) return []
    const blocks = toActions((await turn.buttons()).buttons)
    return blocks.length === 0 ? [] : [{ type: 'blocks', blocks }]
  }

  async #append(stream: Stream, turn: StreamedTurn): Promise<string | undefined> {
    const { channel, ts, content } = stream
    if (stream.state === 'stopped') return ts
    const chunks = this.#canAppend(stream, turn) ? content.next(turn.running) : undefined
    const isQuiet = chunks?.length === 0 && this.#now() - stream.appendedAt > maxIdleMs
    if (chunks === undefined || isQuiet) {
      stream.state = 'over'
      return undefined
    }
    if (chunks.length === 0) return ts
    try {
      await this.#client.chat.appendStream({ channel, ts, chunks })
      stream.appendedAt = this.#now()
      return ts
    } catch (error) {
      // The chunk was lost, or perhaps it arrived: only an edit shows everything exactly once.
      stream.state = slackCode(error) === 'stopped_by_user' ? 'stopped' : 'over'
      if (stream.state === 'stopped') return ts
      if (toDelivery(error).kind !== 'refused') throw error
      return undefined
    }
  }

  #canAppend({ state, turnId, startedAt }: Stream, turn: StreamedTurn): boolean {
    return state === 'open' && turnId === turn.turnId && this.#now() - startedAt < maxStreamMs
  }

  async #end({ place, channel, ts, content }: Stream): Promise<void> {
    await endStream(this.#client, { channel, ts }, content.last())
    this.#streams.delete(keyOf({ channel }, ts))
    const where = parseAddress(place)
    if (where !== undefined) this.#sessions.streamEnded(where)
  }
}

function keyOf(place: Pick<Address, 'channel'> | undefined, ts: string): string {
  return `${place?.channel} ${ts}`
}

/** Ends a stream so that its message can be changed; ignores one that has already ended. */
async function endStream(
  client: webApi.WebClient,
  where: { readonly channel: string; readonly ts: string },
  last: readonly Chunk[] = [],
): Promise<void> {
  const chunks = last.length > 0 ? { chunks: [...last] } : {}
  try {
    await client.chat.stopStream({ ...where, ...chunks })
  } catch (error) {
    if (!notStreaming.has(slackCode(error) ?? '')) throw error
  }
}

/** Address of a stream, and its recipient. */
interface StreamTarget {
  readonly channel: string
  readonly thread_ts: string
  readonly recipient_team_id: string
  readonly recipient_user_id: string
}

/**
 * Target of a stream, always in a thread. Only one person sees it grow; others in a channel see it after its end. So streams
 * are used in threads of direct messages only, and channels use edits.
 */
function streamTarget(turn: StreamedTurn): StreamTarget | undefined {
  const place = parseAddress(turn.place)
  const [, team, user] = person.exec(turn.askedBy ?? '') ?? []
  if (place?.thread === undefined || !isPrivate(place)) return undefined
  if (team === undefined || user === undefined) return undefined
  const { channel, thread } = place
  return { channel, thread_ts: thread, recipient_team_id: team, recipient_user_id: user }
}
