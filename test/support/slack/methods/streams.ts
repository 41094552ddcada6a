import { mostJson, readBlocks } from '../blocks/check-blocks.ts'
import type { ChannelState } from '../channels.ts'
import { invalidArguments, Refusal } from '../limits/refusal.ts'
import { notifiedBy } from '../mentions.ts'
import { type Block, type StoredMessage, toApiMessage } from '../messages.ts'
import type { Params } from '../params.ts'
import { change, noteStream, post } from '../posting.ts'
import { showStatus } from '../statuses.ts'
import { authorOf } from './chat.ts'
import { grow, readChunks } from './chunks.ts'
import { readMetadata } from './content.ts'
import { endLateStream } from './late-streams.ts'
import { type Call, needScope } from './method.ts'
import { messageOf, threadOf, visibleChannel, writableChannel } from './places.ts'
import { readStatus, setStatusOf } from './sessions.ts'

type Result = Readonly<Record<string, unknown>>

// https://docs.slack.dev/reference/methods/chat.startStream
export function startStream(call: Call): Result {
  const { world, app, params } = call
  const state = writableChannel(call)
  if (state.kind === 'mpim') throw new Refusal('channel_type_not_supported')
  const threadTs = threadOf(state, call)
  if (state.kind === 'im' && threadTs === undefined) {
    throw invalidArguments('missing required field: thread_ts')
  }
  checkRecipient(call)
  const mode = params.text('task_display_mode') ?? 'timeline'
  if (!['timeline', 'plan'].includes(mode)) throw invalidArguments('invalid task_display_mode')
  const names = ['username', 'icon_emoji', 'icon_url']
  if (names.some((name) => params.has(name))) needScope(call, 'chat:write.customize')
  const streamMode = modeOf(params)
  const blocks = checkGrown(grow(mode === 'plan' ? [plan] : [], readChunks(params)))
  const message = post(world, state, {
    ...authorOf(call),
    ...contentOf(blocks),
    username: params.text('username'),
    threadTs,
    streaming: 'in_progress',
    streamMode,
  })
  if (app.agent) setStatusOf(call, state, threadTs ?? message.ts, 'processing')
  if (threadTs !== undefined) showStatus(world, state, { threadTs, status: '' })
  return { channel: state.id, ts: message.ts }
}

/** Text and chunks exclude one another: https://docs.slack.dev/reference/methods/chat.appendStream (errors). */
function modeOf(params: Params): StoredMessage['streamMode'] {
  const [hasText, hasChunks] = [params.has('markdown_text'), params.has('chunks')]
  if (hasText && hasChunks) throw new Refusal('cannot_provide_both_markdown_text_and_chunks')
  if (hasChunks) return 'chunks'
  return hasText ? 'markdown' : undefined
}

/** The first content of a stream decides what all of it is: streaming_mode_mismatch, on the same page. */
function keepMode(message: StoredMessage, mode: StoredMessage['streamMode']): void {
  if (mode === undefined) return
  message.streamMode ??= mode
  if (message.streamMode !== mode) throw new Refusal('streaming_mode_mismatch')
}

const plan = { type: 'plan', title: 'Plan', tasks: [] } as unknown as Block

/** Needed in direct messages too, as others measured, though the documentation asks for it in channels alone. */
function checkRecipient({ world, params }: Call): void {
  const user = params.text('recipient_user_id')
  if (user === undefined) throw new Refusal('missing_recipient_user_id')
  if (!params.has('recipient_team_id')) throw new Refusal('missing_recipient_team_id')
  const found = world.users.get(user)
  if (found?.teamId !== params.text('recipient_team_id')) throw new Refusal('user_not_found')
}

function contentOf(blocks: readonly Block[]): Pick<StoredMessage, 'text' | 'blocks' | 'notified'> {
  const text = blocks.map((block) => (block.type === 'markdown' ? block.text : '')).join('')
  return { text, blocks, notified: notifiedBy({ text, blocks, bareNames: true }) }
}

export function appendStream(call: Call): Result {
  const { world } = call
  const { state, message } = streamOf(call, false)
  const chunks = readChunks(call.params)
  keepMode(message, modeOf(call.params))
  if (chunks.length === 0) throw new Refusal('no_text')
  noteStream(world, state, message, contentOf(checkGrown(grow(message.blocks, chunks))))
  return { channel: state.id, ts: message.ts }
}

export function stopStream(call: Call): Result {
  const { world, app, params } = call
  const { state, message } = streamOf(call, true)
  keepMode(message, modeOf(params))
  // Those below go with markdown alone; a stream of chunks takes them as a chunk, as others met.
  if (message.streamMode === 'chunks' && params.has('blocks'))
    throw new Refusal('streaming_mode_mismatch')
  const grown = checkGrown(grow(message.blocks, readChunks(params)))
  const below = readBlocks(params) ?? []
  const blocks = grow(grown, below.length === 0 ? [] : [{ type: 'blocks', blocks: below }])
  const status = params.text('session_status')
  const wanted = status === undefined ? undefined : readStatus(status)
  if (blocks.length === 0) throw new Refusal('no_text')
  const metadata = readMetadata(params)
  message.stoppedByUser = false
  const content = { ...contentOf(blocks), streaming: 'completed' as const }
  change(
    world,
    state,
    message,
    metadata === undefined ? content : { ...content, metadata },
    undefined,
  )
  const threadTs = message.threadTs ?? message.ts
  // Its end leaves the session active, as others measured.
  if (wanted !== undefined || app.agent) setStatusOf(call, state, threadTs, wanted ?? 'active')
  return { channel: state.id, ts: message.ts, message: toApiMessage(world, message) }
}

/** A stream of the app that still goes on. Somebody may have stopped it, and Slack ends it by itself. */
function streamOf(
  call: Call,
  ending: boolean,
): { readonly state: ChannelState; readonly message: StoredMessage } {
  const { world, app } = call
  const state = visibleChannel(call)
  const message = messageOf(state, call)
  if (message.appId !== app.id) throw new Refusal('message_not_owned_by_app')
  if (message.stoppedByUser) {
    if (!ending) throw new Refusal('stopped_by_user')
    return { state, message }
  }
  endLateStream(world, message)
  if (message.streaming !== 'in_progress') throw new Refusal('message_not_in_streaming_state')
  return { state, message }
}

/** All markdown of a message counts together, and so do its blocks. */
function checkGrown(blocks: readonly Block[]): readonly Block[] {
  if (blocks.length > 50) throw new Refusal('msg_blocks_too_many')
  const markdown = blocks.reduce(
    (sum, block) => sum + (block.type === 'markdown' ? block.text.length : 0),
    0,
  )
  const json = JSON.stringify(blocks).length
  if (markdown > 12_000 || json > mostJson) throw new Refusal('msg_too_long')
  return blocks
}
