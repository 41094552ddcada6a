import type { WaitOptions } from '../../telegram/waiting.ts'
import type { AgentSession, AssistantThread, ChannelState, StatusEntry } from '../channels.ts'
import { statusOf } from '../statuses.ts'
import type { World } from '../world.ts'
import { type SeenChange, type SeenMessage, seenMessages, toSeen } from './seen.ts'

/** A conversation as people see it. */
export class ChannelView {
  readonly id: string
  protected readonly world: World
  protected readonly state: ChannelState

  constructor(world: World, state: ChannelState) {
    this.id = state.id
    this.world = world
    this.state = state
  }

  /** What stands there now, in threads too, in order; nothing ephemeral. */
  messages(): SeenMessage[] {
    return seenMessages(this.world, this.state)
  }

  /** What the app under test wrote of it. */
  botMessages(): SeenMessage[] {
    return this.messages().filter(({ from }) => from.kind === 'app')
  }

  /** A thread: its first message and the answers. */
  thread(ts: string): SeenMessage[] {
    return this.messages().filter((message) => message.ts === ts || message.threadTs === ts)
  }

  /** What stands in the channel itself. */
  topLevel(): SeenMessage[] {
    return this.messages().filter(
      ({ ts, threadTs, broadcast }) => threadTs === undefined || threadTs === ts || broadcast,
    )
  }

  /** What only one person sees. */
  ephemerals(user: { readonly id: string }): SeenMessage[] {
    return [...this.state.messages.values()]
      .filter(({ deleted, ephemeralFor }) => !deleted && ephemeralFor === user.id)
      .map((message) => toSeen(this.world, message))
  }

  /** A message as it is now. */
  message(ts: string): SeenMessage {
    const found = this.state.messages.get(ts)
    if (found === undefined || found.deleted) throw new Error(`message ${ts} is not there`)
    return toSeen(this.world, found)
  }

  /** Every sending, editing and deleting, in order, as it was then. */
  get history(): SeenChange[] {
    return this.state.history.map(({ kind, at, message }) => {
      return { kind, at, message: toSeen(this.world, message) }
    })
  }

  /** Every status that was shown or cleared, in order. */
  get statuses(): readonly StatusEntry[] {
    return this.state.statuses
  }

  /** The status that a thread shows now; empty: none. */
  status(threadTs: string): string {
    return statusOf(this.world, this.state, threadTs)
  }

  /** Title, suggested prompts and context of an assistant thread. */
  assistantThread(threadTs: string): AssistantThread | undefined {
    return this.state.assistantThreads.get(threadTs)
  }

  /** The agent's session of a thread, which shows a Stop button while it is `processing`. */
  session(threadTs: string): AgentSession | undefined {
    return this.state.sessions.get(threadTs)
  }

  /** The first message that satisfies, as soon as there is one. */
  waitForMessage(
    wanted: (message: SeenMessage) => boolean,
    options?: WaitOptions,
  ): Promise<SeenMessage> {
    const look = () => this.messages().find(wanted)
    return this.world.changes.until(look, options, () => this.#story(this.messages()))
  }

  /** The first message of the app whose text contains the words. */
  waitForText(words: string, options?: WaitOptions): Promise<SeenMessage> {
    const wanted = ({ from, text }: SeenMessage) => from.kind === 'app' && text.includes(words)
    return this.waitForMessage(wanted, { what: `a message with "${words}"`, ...options })
  }

  /** The first notice to one person whose text contains the words. */
  waitForEphemeral(
    user: { readonly id: string },
    words: string,
    options?: WaitOptions,
  ): Promise<SeenMessage> {
    const look = () => this.ephemerals(user).find(({ text }) => text.includes(words))
    const what = `a notice with "${words}"`
    return this.world.changes.until(look, { what, ...options }, () =>
      this.#story(this.ephemerals(user)),
    )
  }

  #story(messages: readonly SeenMessage[]): string {
    const lines = messages.map(({ ts, from, text }) => `  ${ts} ${from.name}: ${text}`)
    return `; there is\n${lines.join('\n')}`
  }
}
