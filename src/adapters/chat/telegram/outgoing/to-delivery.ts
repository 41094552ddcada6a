import { GrammyError, HttpError } from 'grammy'
import type { Failed } from '../../outgoing/messenger.ts'

const defaultWaitMs = 5_000
const maxWaitMs = 24 * 3_600_000

/** Our descriptions of the Bot API's errors, whose own texts may contain parts of the message. */
const refusals: readonly (readonly [RegExp, string])[] = [
  [/chat not found/i, 'there is no such chat'],
  [/blocked by the user/i, 'the person blocked the bot'],
  [/user is deactivated/i, 'the account is deactivated'],
  [/kicked|not a member/i, 'the bot is not in the group any more'],
  [/chat was deleted/i, 'the group was deleted'],
  [/can't initiate conversation/i, 'the person never wrote to the bot'],
  [/have no rights|not enough rights|need administrator/i, 'the bot has no right to send there'],
  [/message to edit not found/i, 'the message to edit is gone'],
  [/message can't be edited/i, 'the message cannot be edited'],
  [/MESSAGE_ID_INVALID/, 'the message is gone'],
  [/TOPIC_CLOSED/i, 'the topic is closed'],
  [/message thread not found|TOPIC_DELETED/i, 'the topic is gone'],
  [/message is too long|MESSAGE_TOO_LONG/i, 'the message is too long'],
  [/message text is empty/i, 'the message is empty'],
  [/can't parse entities/i, 'the markup was not understood'],
]

/** Errors for an edit of a message that no longer exists. */
const messageGone = /message to edit not found|message can't be edited|MESSAGE_ID_INVALID/i

/** Classifies an error by its cause, which decides about retries. Rethrows errors that are not from the API. */
export function toDelivery(error: unknown): Failed {
  if (error instanceof HttpError) return { kind: 'unreachable', why: error.message }
  if (!(error instanceof GrammyError)) throw error
  if (error.error_code === 429) return busy(error)
  const { migrate_to_chat_id: movedTo } = error.parameters
  if (movedTo !== undefined) return { kind: 'moved', place: String(movedTo) }
  if (isFinal(error.error_code)) return refused(error)
  return { kind: 'unreachable', why: serverFailure(error.error_code) }
}

/** Waiting time that the API asks for, in milliseconds; undefined for other errors. */
function waitOf(error: unknown): number | undefined {
  if (!(error instanceof GrammyError) || error.error_code !== 429) return undefined
  const seconds = error.parameters.retry_after
  if (seconds === undefined || !(seconds > 0)) return defaultWaitMs
  return Math.min(seconds * 1000, maxWaitMs)
}

/** Whether an edit would change nothing. */
export function isUnchanged(error: unknown): boolean {
  return isBadRequest(error) && error.description.includes('message is not modified')
}

/** Whether the server could not parse the markup. */
export function isUnparsed(error: unknown): boolean {
  return isBadRequest(error) && /can't parse entities|ENTIT(Y|IES)_/i.test(error.description)
}

function isBadRequest(error: unknown): error is GrammyError {
  return error instanceof GrammyError && error.error_code === 400
}

function busy(error: GrammyError): Failed {
  const afterMs = waitOf(error) ?? defaultWaitMs
  return { kind: 'busy', afterMs, why: 'Telegram asks to wait' }
}

/** Whether retrying is useless: 401 and 404 concern the token, 408 and 409 pass, and none of them is due to the message. */
function isFinal(code: number): boolean {
  return code >= 400 && code < 500 && ![401, 404, 408, 409].includes(code)
}

function refused(error: GrammyError): Failed {
  const why = refusalWords(error)
  const isGone = messageGone.test(error.description)
  return { kind: 'refused', why, ...(isGone ? { isGone } : {}) }
}

function refusalWords({ description, error_code }: GrammyError): string {
  const known = refusals.find(([form]) => form.test(description))
  if (known !== undefined) return known[1]
  const code = /^[A-Za-z ]+: ([A-Z][A-Z0-9_]{2,63})$/.exec(description)
  return `Telegram refused it (${error_code}${code === null ? '' : `, ${code[1]}`})`
}

function serverFailure(code: number): string {
  if (code === 401 || code === 404) return `Telegram does not know the bot's token (${code})`
  return `Telegram is in trouble (${code})`
}
