import { Api, GrammyError, HttpError, type Transformer } from 'grammy'
import { z } from 'zod'
import { patientTimeout } from '../../../util/abort.ts'

export interface ApiOptions {
  readonly token: string
  /** Telegram's public server by default. */
  readonly apiRoot?: string
  /** Time-out of an ordinary call; calls that send a file have a longer one. */
  readonly timeoutMs: number
}

/** grammY's older type of signal; Node's own is compatible in everything that is used. */
export type ApiSignal = NonNullable<Parameters<Transformer>[3]>

const fileTimeoutMs = 180_000

const apiAnswer = z.union([
  z.object({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), error_code: z.number(), description: z.string() }),
])

/**
 * Creates a client of the Bot API. Connections are reused (grammY has one keep-alive agent for each root). Its errors contain
 * neither the token, which is part of every URL, nor the payload (THREAT-14).
 */
export function createApi({ token, apiRoot, timeoutMs }: ApiOptions): Api {
  const api = new Api(token, {
    ...(apiRoot === undefined ? {} : { apiRoot: apiRoot.replace(/\/+$/, '') }),
    timeoutSeconds: Math.max(timeoutMs, fileTimeoutMs) / 1000,
    sensitiveLogs: false,
  })
  api.config.use(withoutSecrets, withTimeout(timeoutMs))
  return api
}

/** Casts a signal to grammY's type. */
export function toApiSignal(signal: AbortSignal): ApiSignal {
  return signal as unknown as ApiSignal
}

/**
 * Adds a time-out per method; grammY has one for all. A response that has already arrived counts, or the call would be repeated
 * (INT-1).
 */
function withTimeout(timeoutMs: number): Transformer {
  return (call, method, payload, signal) => {
    if (method === 'sendDocument') return call(method, payload, signal)
    const signals = signal === undefined ? [] : [signal as unknown as AbortSignal]
    const limited = AbortSignal.any([...signals, patientTimeout(timeoutMs)])
    return call(method, payload, toApiSignal(limited))
  }
}

/** Replaces grammY's errors, which keep the payload and, as cause, the network error with the complete URL. */
const withoutSecrets: Transformer = async (call, method, payload, signal) => {
  const answer = await call(method, payload, signal).catch((error: unknown) => {
    throw noAnswer(method, noAnswerReason(error))
  })
  if (!apiAnswer.safeParse(answer).success) throw noAnswer(method, 'not of the Bot API')
  if (answer.ok) return answer
  throw new GrammyError(`${method} was refused`, answer, method, {})
}

function noAnswer(method: string, why: string): HttpError {
  return new HttpError(`no answer to ${method} (${why})`, undefined)
}

/** Reason without any text of the network stack, which would contain the URL. */
function noAnswerReason(error: unknown): string {
  const inner = error instanceof HttpError ? error.error : error
  if (!(inner instanceof Error)) return 'unknown'
  if (inner.name === 'AbortError' || inner.message.includes('timed out')) return 'no time left'
  const code = 'code' in inner ? inner.code : undefined
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code)) return code
  return inner.message.includes('invalid json') ? 'not JSON' : 'unknown'
}

/** A signal for a call of the Bot API that aborts with `signal`, or after `deadlineMs`. */
export function withDeadline(deadlineMs: number, signal?: AbortSignal): ApiSignal {
  const deadline = AbortSignal.timeout(deadlineMs)
  return toApiSignal(signal === undefined ? deadline : AbortSignal.any([signal, deadline]))
}

const sent = z.object({ message_id: z.int() })

/** Id of the message in an answer of the API; throws if there is none. */
export function toMessageId(message: unknown): string {
  return String(sent.parse(message).message_id)
}
