import { Api, GrammyError, HttpError, type Transformer } from 'grammy'
import { z } from 'zod'
import { patientTimeout } from '../../../util/abort.ts'

export interface ApiOptions {
  readonly token: string
  /** Telegram's own when not given. */
  readonly apiRoot?: string
  /** How long an ordinary call may take; one that sends a file may take longer. */
  readonly timeoutMs: number
}

/** The older type of signal that grammY names; Node's own is like it in all that is used of it. */
export type ApiSignal = NonNullable<Parameters<Transformer>[3]>

const fileTimeoutMs = 180_000

const anAnswer = z.union([
  z.object({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), error_code: z.number(), description: z.string() }),
])

/**
 * A client of the Bot API. Its connections are kept and used again (grammY has one keep-alive agent for each root). What
 * it throws holds neither the token, which is part of every address, nor what was sent (THREAT-14).
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

/** A signal as grammY takes it. */
export function toApiSignal(signal: AbortSignal): ApiSignal {
  return signal as unknown as ApiSignal
}

/** grammY has one time-out for all methods. An answer that is there counts, or what it answers would be sent again (INT-1). */
function withTimeout(timeoutMs: number): Transformer {
  return (call, method, payload, signal) => {
    if (method === 'sendDocument') return call(method, payload, signal)
    const given = signal === undefined ? [] : [signal as unknown as AbortSignal]
    const limited = AbortSignal.any([...given, patientTimeout(timeoutMs)])
    return call(method, payload, toApiSignal(limited))
  }
}

/** grammY's errors keep the payload, and as their cause the network's own error, which names the whole address. */
const withoutSecrets: Transformer = async (call, method, payload, signal) => {
  const answer = await call(method, payload, signal).catch((error: unknown) => {
    throw noAnswer(method, whyNone(error))
  })
  if (!anAnswer.safeParse(answer).success) throw noAnswer(method, 'not of the Bot API')
  if (answer.ok) return answer
  throw new GrammyError(`${method} was refused`, answer, method, {})
}

function noAnswer(method: string, why: string): HttpError {
  return new HttpError(`no answer to ${method} (${why})`, undefined)
}

/** Our own words: the network's would hold the address. */
function whyNone(error: unknown): string {
  const inner = error instanceof HttpError ? error.error : error
  if (!(inner instanceof Error)) return 'unknown'
  if (inner.name === 'AbortError' || inner.message.includes('timed out')) return 'no time left'
  const code = 'code' in inner ? inner.code : undefined
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code)) return code
  return inner.message.includes('invalid json') ? 'not JSON' : 'unknown'
}
