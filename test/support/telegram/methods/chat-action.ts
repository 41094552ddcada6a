import { badRequest } from '../limits/refusal.ts'
import type { Call } from './method.ts'
import { writableChatOf } from './places.ts'

const known = new Set([
  'typing',
  'upload_photo',
  'record_video',
  'upload_video',
  'record_voice',
  'upload_voice',
  'upload_document',
  'choose_sticker',
  'find_location',
  'record_video_note',
  'upload_video_note',
])

export function sendChatAction(call: Call): true {
  const { world, params } = call
  const action = params.text('action')?.toLowerCase()
  if (action === undefined || !known.has(action)) {
    throw badRequest('wrong parameter action in request')
  }
  const state = writableChatOf(call)
  const threadId = params.integer('message_thread_id')
  const forum = state.chat.type === 'supergroup' && state.chat.is_forum === true
  // Unlike a message it may name the general topic.
  if (forum && threadId !== undefined && threadId > 1 && !state.topics.has(threadId)) {
    throw badRequest('message thread not found')
  }
  state.actions.push({ action, at: world.now(), threadId })
  world.changed()
  return true
}
