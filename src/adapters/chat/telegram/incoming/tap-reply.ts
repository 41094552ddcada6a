import type { Api } from 'grammy'
import type { TapAnswer } from '../../../../ports/chat.ts'
import type { Log } from '../../../../util/log.ts'
import { shorten } from '../../../../util/text/shorten.ts'
import { withDeadline } from '../api.ts'
import { toApiFailure } from './api-failure.ts'

const spinnerMs = 5_000
const deadlineMs = 10_000
const longestText = 200

/** Answers a tap with a text, or with none, which stops the button's spinner. Only the first call counts. */
export type TapReply = (answer: TapAnswer | undefined) => void

/** Creates a reply that stops the spinner by itself after 5 s. */
export function createTapReply(api: Api, log: Log, callbackId: string): TapReply {
  let isDone = false
  const reply: TapReply = (answer) => {
    clearTimeout(timer)
    if (!isDone) void send(api, log, callbackId, answer)
    isDone = true
  }
  const timer = setTimeout(reply, spinnerMs, undefined)
  timer.unref()
  return reply
}

async function send(api: Api, log: Log, callbackId: string, answer?: TapAnswer): Promise<void> {
  const words =
    answer === undefined
      ? {}
      : { text: shorten(answer.text, longestText), show_alert: answer.alert }
  try {
    await api.answerCallbackQuery(callbackId, words, withDeadline(deadlineMs))
  } catch (error) {
    // Common after an outage (“query is too old”). The card shows what happened (INT-17).
    log.debug({ why: toApiFailure(error).why }, 'telegram: failed to answer tap')
  }
}
