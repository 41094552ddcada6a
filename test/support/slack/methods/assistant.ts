import type { ChannelState, SuggestedPrompt } from '../channels.ts'
import { invalidArguments, Refusal } from '../limits/refusal.ts'
import { isRecord, type Params } from '../params.ts'
import { change } from '../posting.ts'
import { showStatus } from '../statuses.ts'
import { type Call, needScope } from './method.ts'
import { visibleChannel } from './places.ts'

type Result = Readonly<Record<string, unknown>>

/** https://docs.slack.dev/reference/methods/assistant.threads.setStatus */
const mostLoadingMessages = 10
/** https://docs.slack.dev/reference/methods/assistant.threads.setSuggestedPrompts */
const mostPrompts = 4

/** An empty status ends what is shown. Works in threads of channels too. */
export function setStatus(call: Call): Result {
  const { world, params } = call
  // https://docs.slack.dev/changelog/2026/03/05/set-status-scope-update
  needScope(call, 'chat:write', 'assistant:write')
  const state = visibleChannel(call, 'channel_id')
  const threadTs = knownThread(state, params.required('thread_ts'))
  if (params.all['status'] === undefined) throw invalidArguments('missing required field: status')
  const status = params.text('status') ?? ''
  const loadingMessages = readLoadingMessages(params)
  showStatus(world, state, { threadTs, status, loadingMessages })
  return {}
}

function readLoadingMessages(params: Params): readonly string[] {
  const format = () => invalidArguments('must be an array of strings: loading_messages')
  const messages = params.json('loading_messages', format) ?? []
  if (!Array.isArray(messages) || !messages.every((each) => typeof each === 'string'))
    throw format()
  if (messages.length > mostLoadingMessages) {
    throw invalidArguments(`no more than ${mostLoadingMessages} items allowed: loading_messages`)
  }
  return messages
}

function knownThread(state: ChannelState, ts: string): string {
  const message = state.messages.get(ts)
  const found = state.assistantThreads.has(ts) || (message !== undefined && !message.deleted)
  if (!found) throw new Refusal('invalid_thread_ts')
  return ts
}

export function setTitle(call: Call): Result {
  const { world, params } = call
  const state = visibleChannel(call, 'channel_id')
  const thread = state.assistantThreads.get(params.required('thread_ts'))
  if (thread === undefined) throw new Refusal('invalid_thread_ts')
  thread.title = params.required('title')
  // Slack tells of it as a change of the thread's first message.
  const root = state.messages.get(thread.threadTs)
  if (root !== undefined) change(world, state, root, {}, undefined)
  world.changed()
  return {}
}

export function setSuggestedPrompts(call: Call): Result {
  const { world, app, params } = call
  if (!app.agent) throw new Refusal('not_agent_app')
  const state = visibleChannel(call, 'channel_id')
  const ts = params.text('thread_ts')
  const thread =
    ts === undefined ? [...state.assistantThreads.values()].at(-1) : state.assistantThreads.get(ts)
  if (thread === undefined) throw new Refusal('invalid_thread_ts')
  const title = params.text('title')
  thread.prompts = { prompts: readPrompts(params), ...(title !== undefined && { title }) }
  world.changed()
  return {}
}

function readPrompts(params: Params): readonly SuggestedPrompt[] {
  const format = () => invalidArguments('must be an array: prompts')
  const prompts = params.json('prompts', format)
  if (!Array.isArray(prompts) || prompts.length === 0) throw format()
  if (prompts.length > mostPrompts) {
    throw invalidArguments(`no more than ${mostPrompts} items allowed: prompts`)
  }
  for (const prompt of prompts) {
    const { title, message } = isRecord(prompt) ? prompt : {}
    if (
      typeof title !== 'string' ||
      title === '' ||
      typeof message !== 'string' ||
      message === ''
    ) {
      throw invalidArguments('missing required field: title, message')
    }
  }
  return prompts as readonly SuggestedPrompt[]
}
