import { GrammyError, HttpError } from 'grammy'

/** Why a call of the Bot API did not work. `why` never holds the address, of which the token is a part, nor what was sent. */
export type ApiFailure =
  | { readonly kind: 'token_refused'; readonly why: string }
  | { readonly kind: 'busy'; readonly afterMs: number; readonly why: string }
  | { readonly kind: 'conflict'; readonly isWebhook: boolean; readonly why: string }
  | { readonly kind: 'rejected'; readonly why: string }
  | { readonly kind: 'unreachable'; readonly why: string }

/** The server took the bot token for none of its bots; trying again does not help. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'

  constructor() {
    super('Telegram refused the bot token: check TELEGRAM_BOT_TOKEN')
  }
}

const longestPauseMs = 3_600_000

export function toApiFailure(error: unknown): ApiFailure {
  if (error instanceof GrammyError) return fromAnswer(error)
  return { kind: 'unreachable', why: lossOf(error) }
}

function fromAnswer({ error_code: code, description, parameters }: GrammyError): ApiFailure {
  const why = `${code}: ${withoutToken(String(description))}`
  if (code === 401 || code === 404) return { kind: 'token_refused', why }
  if (code === 409) return { kind: 'conflict', isWebhook: /webhook is active/iu.test(why), why }
  if (code === 429) return { kind: 'busy', afterMs: pauseMs(parameters.retry_after), why: '429' }
  return { kind: code >= 400 && code < 500 ? 'rejected' : 'unreachable', why }
}

function pauseMs(seconds: unknown): number {
  const isTime = typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0
  return isTime ? Math.min(longestPauseMs, Math.ceil(seconds * 1_000)) : 1_000
}

function withoutToken(description: string): string {
  return description.replaceAll(/\d+:[\w-]{20,}/gu, '…').slice(0, 200)
}

/**
 * Messages of node-fetch hold the whole address; its `code` and `type` are words of a fixed list, and so is what our own
 * client says in brackets.
 */
function lossOf(error: unknown): string {
  const inner: unknown = error instanceof HttpError ? (error.error ?? error) : error
  if (!(inner instanceof Error)) return 'no answer'
  const said = /\(([\w -]{1,40})\)$/u.exec(inner.message)?.[1]
  const words: unknown[] = [Reflect.get(inner, 'code'), Reflect.get(inner, 'type'), said]
  const word = words.find((value) => typeof value === 'string' && /^[\w -]{1,40}$/u.test(value))
  return word === undefined ? 'no answer' : `no answer (${String(word)})`
}
