import type { AssistantThread, ChannelState } from '../channels.ts'
import { emit } from '../events.ts'
import { post } from '../posting.ts'
import type { SlackUser } from '../users.ts'
import type { World } from '../world.ts'
import { ChannelHandle, type SayOptions } from './channel-handle.ts'

/** A thread in the app's assistant container, as the person has it open. */
export class AssistantHandle extends ChannelHandle {
  readonly threadTs: string
  readonly #user: SlackUser

  constructor(world: World, state: ChannelState, user: SlackUser, threadTs: string) {
    super(world, state)
    this.#user = user
    this.threadTs = threadTs
  }

  /** Writes in this thread. */
  write(text: string, options: Omit<SayOptions, 'thread'> = {}): string {
    return this.say(this.#user, text, { ...options, thread: this.threadTs })
  }

  get title(): string | undefined {
    return this.#thread.title
  }

  get prompts(): AssistantThread['prompts'] {
    return this.#thread.prompts
  }

  /** Taps a suggested prompt by its title, which writes its message. */
  tapPrompt(title: string): string {
    const prompt = this.prompts?.prompts.find((each) => each.title === title)
    if (prompt === undefined) throw new Error(`no prompt "${title}" is suggested`)
    return this.write(prompt.message)
  }

  /** The person looks at another channel while the container stays open. */
  lookAt(channel: { readonly id: string }): void {
    const context = { channel_id: channel.id, team_id: this.world.app.teamId }
    this.#thread.context = context
    emitThread(this.world, this.state, 'assistant_thread_context_changed', this.#thread)
  }

  get #thread(): AssistantThread {
    const thread = this.state.assistantThreads.get(this.threadTs)
    if (thread === undefined) throw new Error('the thread is gone')
    return thread
  }
}

/** Somebody opens the app's assistant container, with a new thread in their direct messages. */
export function openAssistant(
  world: World,
  state: ChannelState,
  user: SlackUser,
  lookingAt: { readonly id: string } | undefined,
): AssistantHandle {
  if (!world.app.agent) throw new Error('the app is no assistant')
  // The thread hangs on a message of the app that people do not see; its events come to the app like others.
  const root = post(world, state, {
    text: 'New Assistant Thread',
    userId: world.app.userId,
    botId: world.app.botId,
    appId: world.app.id,
    subtype: 'assistant_app_thread',
  })
  const threadTs = root.ts
  const thread: AssistantThread = {
    threadTs,
    userId: user.id,
    title: undefined,
    prompts: undefined,
    context: lookingAt === undefined ? {} : { channel_id: lookingAt.id, team_id: world.app.teamId },
  }
  state.assistantThreads.set(threadTs, thread)
  emitThread(world, state, 'assistant_thread_started', thread)
  world.changed()
  return new AssistantHandle(world, state, user, threadTs)
}

function emitThread(
  world: World,
  state: ChannelState,
  type: 'assistant_thread_started' | 'assistant_thread_context_changed',
  thread: AssistantThread,
): void {
  const { userId, threadTs, context } = thread
  const assistant = {
    user_id: userId,
    context: { ...context, enterprise_id: null },
    channel_id: state.id,
    thread_ts: threadTs,
  }
  emit(world, type, { type, assistant_thread: assistant, event_ts: world.ts() }, state)
}
