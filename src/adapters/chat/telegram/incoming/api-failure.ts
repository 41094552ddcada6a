import { GrammyError, HttpError } from 'grammy'
import { assertNever } from '../../../../util/guards.ts'

/** Failure of a call to the Bot API. `why` contains neither the URL, which includes the token, nor the payload. */
export type ApiFailure =
  | { readonly kind: 'token_refused'; readonly why: string }
  | { readonly kind: 'busy'; readonly afterMs: number; readonly why: string }
  | { readonly kind: 'conflict'; readonly isWebhook: boolean; readonly why: string }
  | { readonly kind: 'rejected'; readonly why: string }
  | {
      readonly kind: 'unreachable'
      readonly why: string
      /** Error code, or the server's description of its failure. */
      readonly detail?: string
      /** Whether the response is not from a Bot API, for example from a proxy. */
      readonly isForeign: boolean
    }

/** The bot token is invalid; retrying does not help. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'

  constructor() {
    super('Telegram refused the bot token: check TELEGRAM_BOT_TOKEN')
  }
}

const maxPauseMs = 3_600_000
const isWord = /^[\w -]{1,40}$/u

export function toApiFailure(error: unknown): ApiFailure {
  if (error instanceof GrammyError) return fromAnswer(error)
  const word = networkCode(error)
  if (word === undefined) return { kind: 'unreachable', why: 'no answer', isForeign: false }
  const isForeign = foreignReasons.has(word)
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
  return isTime ? Math.min(maxPauseMs, Math.ceil(seconds * 1_000)) : 1_000
}

/** A server's description without anything that looks like a token, at most 200 UTF-16 units. */
export function withoutToken(description: string): string {
  return description.replaceAll(/\d+:[\w-]{20,}/gu, '…').slice(0, 200)
}

/** Reasons, from our client and grammY, for responses that are not from a Bot API. */
const foreignReasons: ReadonlySet<string> = new Set([
  'not JSON',
  'not of the Bot API',
  'invalid-json',
])

/**
 * Code of a network failure. Messages of node-fetch contain the URL, but its `code` and `type`, and the reason in brackets from
 * our client, come from fixed lists.
 */
function networkCode(error: unknown): string | undefined {
  const inner: unknown = error instanceof HttpError ? (error.error ?? error) : error
  if (!(inner instanceof Error)) return undefined
  const inBrackets = /\(([\w -]{1,40})\)$/u.exec(inner.message)?.[1]
  const words: unknown[] = [Reflect.get(inner, 'code'), Reflect.get(inner, 'type'), inBrackets]
  return words.find((word): word is string => typeof word === 'string' && isWord.test(word))
}

/** Called for each failure of a call that will be retried. */
export type OnFailure = (failure: ApiFailure) => void

/** Creates a function that reports failures in plain words, each kind once, to the person who started the product. */
export function createFailureReporter(report: (why: string) => void): OnFailure {
  const reported = new Set<ApiFailure['kind']>()
  return (failure) => {
    const words = describeFailure(failure)
    if (words === undefined || reported.has(failure.kind)) return
    reported.add(failure.kind)
    report(words)
  }
}

/** Undefined for failures that stop the service with their own message, or resolve themselves. */
function describeFailure(failure: ApiFailure): string | undefined {
  switch (failure.kind) {
    case 'token_refused':
      return undefined
    case 'busy':
      return 'it asks to wait; trying on.'
    case 'conflict':
      return failure.isWebhook ? undefined : conflict
    case 'rejected':
      return `it refuses (${failure.why}); trying on.`
    case 'unreachable':
      return `no answer yet${failure.detail === undefined ? '' : ` (${failure.detail})`}; trying on.`
    default:
      return assertNever(failure)
  }
}

const conflict =
  'another program asks for updates with this token; messages go to only one of the two.'
