import type { Api } from 'grammy'
import type { TapAnswer } from '../../../../ports/chat.ts'
import type { Log } from '../../../../util/log.ts'
import { shorten } from '../../../../util/text/shorten.ts'
import { toApiFailure } from './api-failure.ts'
import { withDeadline } from './with-deadline.ts'

const patienceMs = 5_000
const deadlineMs = 10_000
const longestText = 200

/** Answers a tap with these words or with none, which ends the spinner on the button; only the first answer counts. */
export type TapReply = (answer: TapAnswer | undefined) => void

/** When nothing was said within 5 s, the spinner ends without words. */
export function createTapReply(api: Api, log: Log, callbackId: string): TapReply {
  let isDone = false
  const reply: TapReply = (answer) => {
    clearTimeout(timer)
    if (!isDone) void send(api, log, callbackId, answer)
    isDone = true
  }
  const timer = setTimeout(reply, patienceMs, undefined)
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
    // Usual: “query is too old” after a time away. The card tells what happened (INT-17).
    log.debug({ why: toApiFailure(error).why }, 'telegram: a tap was not answered')
  }
}
