import type { ChannelState } from '../channels.ts'
import { invalidArguments, Refusal } from '../limits/refusal.ts'
import { type StoredMessage, toApiMessage } from '../messages.ts'
import { type Call, needScope } from './method.ts'
import { visibleChannel } from './places.ts'

type Result = Readonly<Record<string, unknown>>

const historyScope = {
  channel: 'channels:history',
  group: 'groups:history',
  im: 'im:history',
  mpim: 'mpim:history',
} as const

/** What stands in a channel itself, the newest first. */
export function conversationsHistory(call: Call): Result {
  const state = readableChannel(call)
  const messages = standing(state).filter(
    ({ ts, threadTs, broadcast }) => threadTs === undefined || threadTs === ts || broadcast,
  )
  return page(call, state, messages.toReversed())
}

/** A thread: its first message and the answers, the oldest first. */
export function conversationsReplies(call: Call): Result {
  const state = readableChannel(call)
  const given = call.params.required('ts')
  const ts = state.messages.get(given)?.threadTs ?? given
  const messages = standing(state).filter((each) => each.ts === ts || each.threadTs === ts)
  if (messages.length === 0) throw new Refusal('thread_not_found')
  return page(call, state, messages)
}

function readableChannel(call: Call): ChannelState {
  const state = visibleChannel(call)
  needScope(call, historyScope[state.kind])
  if (!state.members.has(call.app.userId)) throw new Refusal('not_in_channel')
  return state
}

function standing(state: ChannelState): StoredMessage[] {
  return [...state.messages.values()].filter(
    ({ deleted, ephemeralFor }) => !deleted && ephemeralFor === undefined,
  )
}

/** Between `oldest` and `latest`, `limit` at a time; the cursor is where the next page begins. */
function page(call: Call, state: ChannelState, all: readonly StoredMessage[]): Result {
  const { params } = call
  const limit = params.integer('limit') ?? 100
  if (limit < 1 || limit > 1000) throw new Refusal('invalid_limit')
  const oldest = params.text('oldest') ?? '0'
  const latest = params.text('latest') ?? '9999999999.999999'
  const inclusive = params.flag('inclusive')
  const between = all.filter(({ ts }) => {
    return inclusive ? ts >= oldest && ts <= latest : ts > oldest && ts < latest
  })
  const start = startOf(params.text('cursor'), between)
  const next = between[start + limit]
  const messages = between.slice(start, start + limit)
  return {
    messages: messages.map((message) => shown(call, state, message)),
    has_more: next !== undefined,
    ...(next !== undefined && { response_metadata: { next_cursor: `ts:${next.ts}` } }),
  }
}

function startOf(cursor: string | undefined, messages: readonly StoredMessage[]): number {
  if (cursor === undefined) return 0
  const index = messages.findIndex(({ ts }) => `ts:${ts}` === cursor)
  if (index < 0) throw invalidArguments('invalid cursor')
  return index
}

function shown(call: Call, state: ChannelState, message: StoredMessage): Record<string, unknown> {
  const { metadata, ...rest } = toApiMessage(call.world, message)
  const answers = standing(state).filter(
    ({ ts, threadTs }) => threadTs === message.ts && ts !== message.ts,
  )
  return {
    ...rest,
    ...(call.params.flag('include_all_metadata') && metadata !== undefined && { metadata }),
    ...(answers.length > 0 && {
      thread_ts: message.ts,
      reply_count: answers.length,
      latest_reply: answers.at(-1)?.ts,
    }),
  }
}
