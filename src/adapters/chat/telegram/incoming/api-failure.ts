import { GrammyError, HttpError } from 'grammy'

/** Why a call of the Bot API did not work. `why` never holds the address, of which the token is a part, nor what was sent. */
export type ApiFailure =
  | { readonly kind: 'token_refused'; readonly why: string }
  | { readonly kind: 'busy'; readonly afterMs: number; readonly why: string }
  | { readonly kind: 'conflict'; readonly isWebhook: boolean; readonly why: string }
  | { readonly kind: 'rejected'; readonly why: string }
  | {
      readonly kind: 'unreachable'
      readonly why: string
      /** An error code, or what the server said of its own trouble. */
      readonly detail?: string
      /** Something answers, which speaks no Bot API: a proxy, or another server. */
      readonly isForeign: boolean
    }

/** The server took the bot token for none of its bots; trying again does not help. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'

  constructor() {
    super('Telegram refused the bot token: check TELEGRAM_BOT_TOKEN')
  }
}

const longestPauseMs = 3_600_000
const isWord = /^[\w -]{1,40}$/u

export function toApiFailure(error: unknown): ApiFailure {
  if (error instanceof GrammyError) return fromAnswer(error)
  const word = lossOf(error)
  if (word === undefined) return { kind: 'unreachable', why: 'no answer', isForeign: false }
  const isForeign = foreignWords.has(word)
  return { kind: 'unreachable', why: `no answer (${word})`, detail: word, isForeign }
}

function fromAnswer({ error_code: code, description, parameters }: GrammyError): ApiFailure {
  const why = `${code}: ${withoutToken(String(description))}`
  if (code === 401 || code === 404) return { kind: 'token_refused', why }
  if (code === 409) return { kind: 'conflict', isWebhook: /webhook is active/iu.test(why), why }
  if (code === 429) return { kind: 'busy', afterMs: pauseMs(parameters.retry_after), why: '429' }
  if (code >= 400 && code < 500) return { kind: 'rejected', why }
  return { kind: 'unreachable', why, detail: why, isForeign: false }
}

function pauseMs(seconds: unknown): number {
  const isTime = typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0
  return isTime ? Math.min(longestPauseMs, Math.ceil(seconds * 1_000)) : 1_000
}

/** Words of the server, without anything that looks like a token: at most 200 characters. */
export function withoutToken(description: string): string {
  return description.replaceAll(/\d+:[\w-]{20,}/gu, '…').slice(0, 200)
}

/** Our own client's words, and grammY's, for what answers and is not the Bot API. */
const foreignWords: ReadonlySet<string> = new Set([
  'not JSON',
  'not of the Bot API',
  'invalid-json',
])

/**
 * Messages of node-fetch hold the whole address; its `code` and `type` are words of a fixed list, and so is what our own
 * client says in brackets.
 */
function lossOf(error: unknown): string | undefined {
  const inner: unknown = error instanceof HttpError ? (error.error ?? error) : error
  if (!(inner instanceof Error)) return undefined
  const said = /\(([\w -]{1,40})\)$/u.exec(inner.message)?.[1]
  const words: unknown[] = [Reflect.get(inner, 'code'), Reflect.get(inner, 'type'), said]
  return words.find((word): word is string => typeof word === 'string' && isWord.test(word))
}
