import { type ChannelState, openIm } from '../channels.ts'
import { Refusal, refusalWith } from '../limits/refusal.ts'
import type { StoredMessage } from '../messages.ts'
import type { Call } from './method.ts'

/** The channel of a call as far as the app can see it. */
export function visibleChannel(call: Call, name = 'channel'): ChannelState {
  const id = call.params.required(name)
  const state = call.world.channels.get(id)
  const visible = state?.kind === 'channel' || state?.members.has(call.app.userId)
  if (state === undefined || !visible) throw new Refusal('channel_not_found')
  return state
}

/** The channel of a call, if the app may write there. A person's id stands for the direct messages with them. */
export function writableChannel(call: Call, name = 'channel'): ChannelState {
  const state = personsChannel(call, name) ?? visibleChannel(call, name)
  if (state.archived) throw new Refusal('is_archived')
  const member = state.members.has(call.app.userId)
  if (!member && !call.app.scopes.has('chat:write.public')) throw new Refusal('not_in_channel')
  if (state.readOnly) throw new Refusal('restricted_action_read_only_channel')
  return state
}

function personsChannel(call: Call, name: string): ChannelState | undefined {
  const user = call.world.users.get(call.params.required(name))
  if (user === undefined) return undefined
  if (user.deleted || user.id === call.app.userId) throw new Refusal('channel_not_found')
  return openIm(call.world, user)
}

/**
 * The thread to answer in. Slack takes any timestamp and hides the message when nothing stands there, or shows it wrongly
 * below an answer (https://github.com/slackapi/python-slack-sdk/issues/840 and …/1116): both are refused here.
 */
export function threadOf(state: ChannelState, call: Call, name = 'thread_ts'): string | undefined {
  const ts = call.params.text(name)
  if (ts === undefined) return undefined
  if (!/^\d{10}\.\d{6}$/.test(ts)) {
    throw refusalWith('invalid_thread_ts', [`${ts} is not a valid thread_ts`])
  }
  const message = state.messages.get(ts)
  if (message === undefined && state.assistantThreads.has(ts)) return ts
  if (message === undefined || message.ephemeralFor !== undefined) {
    throw new Refusal('thread_not_found')
  }
  const answers = message.threadTs !== undefined && message.threadTs !== message.ts
  if (answers) throw new Refusal('cannot_reply_to_message')
  return ts
}

/** The message that a call names; ephemeral ones cannot be named. */
export function messageOf(state: ChannelState, call: Call, name = 'ts'): StoredMessage {
  const message = state.messages.get(call.params.required(name))
  if (message === undefined || message.deleted || message.ephemeralFor !== undefined) {
    throw new Refusal('message_not_found')
  }
  return message
}
