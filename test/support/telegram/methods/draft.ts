import { badRequest } from '../limits/refusal.ts'
import { readFormattedText } from '../text/formatted-text.ts'
import type { Call } from './method.ts'
import { threadOf, writableChatOf } from './places.ts'

export function sendMessageDraft(call: Call): true {
  const { world, params } = call
  const text = readFormattedText(params, 'text', 'entities')
  const draftId = params.integer('draft_id')
  const canStop = !world.lacks.has('can_stop') && params.flag('can_stop')
  params.flag('keep_on_stop')
  const state = writableChatOf(call)
  if (state.chat.type !== 'private') throw badRequest('TEXTDRAFT_PEER_INVALID')
  if (draftId === undefined || draftId === 0) throw badRequest('RANDOM_ID_INVALID')
  if (text.text.length > 4096) throw badRequest('MESSAGE_TOO_LONG')
  const threadId = threadOf(state, call)
  const draft = { draftId, threadId, text, canStop, at: world.now() }
  state.drafts.push(draft)
  state.draft = draft
  world.changed()
  return true
}
