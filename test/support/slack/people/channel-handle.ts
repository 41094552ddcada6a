import { randomUUID } from 'node:crypto'
import { withIds } from '../blocks/with-ids.ts'
import { emit } from '../events.ts'
import { addFile } from '../files/files.ts'
import { notifiedBy } from '../mentions.ts'
import type { StoredMessage } from '../messages.ts'
import { change, post, remove } from '../posting.ts'
import type { SlackUser } from '../users.ts'
import { ChannelMembers } from './channel-members.ts'
import { type ClaimedClick, clickButton, findButton } from './clicks.ts'
import { typeCommand } from './commands.ts'
import type { Interaction } from './interactions.ts'
import { composed, escapeTyped } from './written.ts'

export interface GivenFile {
  readonly name: string
  readonly bytes: Uint8Array
  readonly mimeType?: string
  /** Of another organisation: events have its id alone, and `files.info` the rest. */
  readonly mustBeAskedFor?: boolean
  /** Kept elsewhere, as files of Google Drive are. */
  readonly externalUrl?: string
}

export interface SayOptions {
  /** The ts of the thread's first message. */
  readonly thread?: string
  /** Also to the channel. */
  readonly broadcast?: boolean
  readonly files?: readonly GivenFile[]
}

/** A conversation with what people do and see there. */
export class ChannelHandle extends ChannelMembers {
  /** Writes, with mentions as `<@U…>`; the rest is literal. Answers its ts. */
  say(user: SlackUser, text: string, options: SayOptions = {}): string {
    this.#mayWrite(user, options.thread)
    const files = (options.files ?? []).map((file) =>
      addFile(this.world, { ...file, userId: user.id }),
    )
    const blocks = withIds(composed(text))
    const written = escapeTyped(text)
    const person = user.kind === 'person'
    return post(this.world, this.state, {
      text: written,
      blocks,
      files,
      userId: user.id,
      teamId: user.teamId,
      botId: user.botId,
      appId: user.botId === undefined ? undefined : 'A0ANOTHER',
      clientMsgId: person ? randomUUID() : undefined,
      threadTs: options.thread,
      broadcast: options.broadcast ?? false,
      subtype: files.length > 0 ? 'file_share' : undefined,
      notified: notifiedBy({ text: written, blocks, bareNames: false }),
    }).ts
  }

  /** A message of a bot that has no user, as incoming webhooks and old bots write. */
  sayAsBot(name: string, text: string, options: SayOptions = {}): string {
    return post(this.world, this.state, {
      text,
      userId: undefined,
      botId: 'B0ANOTHER',
      username: name,
      subtype: 'bot_message',
      threadTs: options.thread,
    }).ts
  }

  /** Changes what a person wrote. */
  edit(user: SlackUser, ts: string, text: string): void {
    const message = this.stored(ts)
    if (message.userId !== user.id) throw new Error('people edit only what they wrote')
    const written = escapeTyped(text)
    const blocks = withIds(composed(text))
    const notified = notifiedBy({ text: written, blocks, bareNames: false })
    change(this.world, this.state, message, { text: written, blocks, notified }, user.id)
  }

  /** Slack unfolds a link: the message changes, though nobody edited it. */
  unfurl(ts: string, url: string): void {
    const message = this.stored(ts)
    const attachments = [...message.attachments, { from_url: url, title: url, id: 1 }]
    change(this.world, this.state, message, { attachments }, undefined)
  }

  /** Its writer, or an administrator, deletes a message. */
  delete(ts: string): void {
    remove(this.world, this.state, this.stored(ts))
  }

  /** Clicks a button as it is shown now. */
  click(user: SlackUser, ts: string, button: string | number): Interaction {
    const message = this.stored(ts)
    this.#maySee(user, message)
    const found = findButton(message, button)
    const { actionId, blockId, type, label, value } = found
    const shown = { messageTs: ts, actionId, blockId, type, label }
    const click = value === undefined ? shown : { ...shown, value }
    return clickButton(this.world, this.state, user, click)
  }

  /** A click with this action and value, whatever is shown: on an old button, or a forged one. */
  claimClick(user: SlackUser, click: ClaimedClick): Interaction {
    return clickButton(this.world, this.state, user, click)
  }

  /** Types a slash command: `/countersign`, `status`. Slack offers none in threads. */
  command(user: SlackUser, command: string, text = ''): Interaction {
    if (!this.state.members.has(user.id)) throw new Error(`${user.name} is not in this channel`)
    return typeCommand(this.world, this.state, user, { command, text })
  }

  /**
   * Presses Stop in a thread whose session is `processing`: its streams end, and the app is told. `pressedTs`: it is told late.
   * https://docs.slack.dev/reference/events/agent_session_stopped
   */
  pressStop(user: SlackUser, threadTs: string, pressedTs = this.world.ts()): void {
    const { world, state } = this
    const shown = state.sessions.get(threadTs)?.status === 'processing'
    if (!shown || !world.app.events.has('agent_session_stopped')) {
      throw new Error('no Stop button is shown')
    }
    const streams = [...state.messages.values()].filter(
      (message) =>
        message.streaming === 'in_progress' && (message.threadTs ?? message.ts) === threadTs,
    )
    for (const message of streams) {
      message.stoppedByUser = true
      message.streaming = 'completed'
    }
    const event = {
      type: 'agent_session_stopped',
      channel: state.id,
      user: user.id,
      thread_ts: threadTs,
      streaming_message_ts: streams.map(({ ts }) => ts),
      event_ts: pressedTs,
    }
    emit(world, 'agent_session_stopped', event, state)
    world.changed()
  }

  #mayWrite(user: SlackUser, thread: string | undefined): void {
    if (!this.state.members.has(user.id)) throw new Error(`${user.name} is not in this channel`)
    if (this.state.archived) throw new Error('the channel is archived')
    if (thread === undefined || this.state.assistantThreads.has(thread)) return
    const first = this.state.messages.get(thread)
    if (first === undefined || (first.threadTs ?? thread) !== thread) {
      throw new Error(`no thread begins at ${thread}`)
    }
  }

  #maySee(user: SlackUser, message: StoredMessage): void {
    if (!this.state.members.has(user.id)) throw new Error(`${user.name} is not in this channel`)
    if (message.ephemeralFor !== undefined && message.ephemeralFor !== user.id) {
      throw new Error(`${user.name} does not see message ${message.ts}`)
    }
  }
}
