import type { IncomingCall } from '../../support/telegram/limits/faults.ts'
import type { TelegramStandIn } from '../../support/telegram/telegram.ts'

/** Asks for what comes after something that was not confirmed yet, which confirms it. */
export function isConfirmation(call: IncomingCall, telegram: TelegramStandIn): boolean {
  const offset = Number(call.params['offset'] ?? 0)
  const isLater = telegram.pendingUpdates().some(({ update_id: id }) => id < offset)
  return call.method === 'getUpdates' && isLater
}

export function isCard({ method, params }: IncomingCall): boolean {
  return method === 'sendMessage' && params['reply_markup'] !== undefined
}

export function isTapAnswer({ method }: IncomingCall): boolean {
  return method === 'answerCallbackQuery'
}

/** The card says what was decided. */
export function isDecided(call: IncomingCall): boolean {
  return call.method === 'editMessageText' && textOf(call).includes('Approved by')
}

/** The card says what the command led to. */
export function isOutcome(call: IncomingCall): boolean {
  return isDecided(call) && /→ (?!running)/u.test(textOf(call))
}

/** The model's last words, not the passing message that shows them as they come: nobody could find that one again. */
export function isAnswer(call: IncomingCall): boolean {
  const isShown = call.method === 'sendMessage' || call.method === 'editMessageText'
  return isShown && /^(?:finished|interrupted): (?!.*⏳)/su.test(textOf(call))
}

function textOf({ params }: IncomingCall): string {
  return String(params['text'] ?? '')
}
