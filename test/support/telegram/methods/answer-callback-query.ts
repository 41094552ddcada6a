import { badRequest } from '../limits/refusal.ts'
import type { Call } from './method.ts'

export function answerCallbackQuery(call: Call): true {
  const { world, bot, params } = call
  const text = params.text('text') ?? ''
  const cacheTime = params.integer('cache_time') ?? 0
  if (cacheTime < 0) throw badRequest('cache_time is invalid')
  const answer = { text, show_alert: params.flag('show_alert'), at: world.now() }
  bot.callbacks.answer(params.text('callback_query_id'), answer, world.callbackQueryMaxAgeMs)
  world.changed()
  return true
}
