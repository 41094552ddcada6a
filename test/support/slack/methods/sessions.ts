import type { AgentSession, ChannelState } from '../channels.ts'
import { Refusal } from '../limits/refusal.ts'
import type { Call } from './method.ts'
import { visibleChannel } from './places.ts'

type Result = Readonly<Record<string, unknown>>

// https://docs.slack.dev/reference/methods/agents.sessions.setStatus
const statuses = ['active', 'processing', 'suspended', 'closed'] as const

const mostTitle = 200

export function setSessionStatus(call: Call): Result {
  const { app, params } = call
  const state = sessionChannel(call)
  const status = readStatus(params.required('status'))
  const threadTs = threadOf(state, call)
  const known = state.sessions.get(threadTs)
  const initiator = params.text('initiator_user_id')
  if (known === undefined && initiator !== undefined && !state.members.has(initiator)) {
    throw new Refusal('user_not_found')
  }
  const session = setStatusOf(call, state, threadTs, status)
  if (known === undefined) session.title = params.text('title')?.slice(0, mostTitle)
  const heard = app.events.has('agent_session_stopped')
  const warning = 'missing_agent_session_stopped_event_subscription'
  return {
    status: session.status,
    agent_status: session.status,
    ...(session.title !== undefined && { title: session.title }),
    ...(!heard && { warning, response_metadata: { warnings: [warning] } }),
  }
}

export function renameSession(call: Call): Result {
  const { world, params } = call
  const state = sessionChannel(call)
  const session = state.sessions.get(threadOf(state, call))
  if (session === undefined) throw new Refusal('session_not_found')
  const title = params.required('title')
  if (title.length > mostTitle) throw new Refusal('invalid_title')
  session.title = title
  world.changed()
  return { title }
}

/** Sets the status of a thread's session, which begins with it. */
export function setStatusOf(
  { world }: Pick<Call, 'world'>,
  state: ChannelState,
  threadTs: string,
  status: AgentSession['status'],
): AgentSession {
  const session = state.sessions.get(threadTs) ?? { threadTs, status, title: undefined }
  session.status = status
  state.sessions.set(threadTs, session)
  world.changed()
  return session
}

export function readStatus(given: string): AgentSession['status'] {
  const status = statuses.find((each) => each === given)
  if (status === undefined) throw new Refusal('invalid_status')
  return status
}

function sessionChannel(call: Call): ChannelState {
  if (!call.app.agent) throw new Refusal('feature_disabled')
  const state = visibleChannel(call, 'channel_id')
  if (!state.members.has(call.app.userId)) throw new Refusal('not_authorized')
  return state
}

function threadOf(state: ChannelState, { params }: Call): string {
  const ts = params.text('thread_ts')
  if (ts === undefined) throw new Refusal('thread_ts_required')
  if (state.messages.has(ts) || state.assistantThreads.has(ts)) return ts
  throw new Refusal('invalid_thread_ts')
}
