import { z } from 'zod'
import { ModelError, type ModelFailureKind } from '../../ports/model.ts'
import { toStorable } from '../../util/text/storable.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { isGarbled } from './answer/garbled-stream.ts'
import { StreamFailure } from './answer/read-stream.ts'

const maxSaidCharacters = 300

/** Fields that the SDK's errors, its stream errors and providers' plain error objects share. */
const failureSchema = z.object({
  message: z.string().catch(''),
  statusCode: z.number().optional().catch(undefined),
  responseHeaders: z.record(z.string(), z.string()).optional().catch(undefined),
  responseBody: z.string().optional().catch(undefined),
  type: z.string().optional().catch(undefined),
  code: z.union([z.string(), z.number()]).optional().catch(undefined),
})

type Failure = z.infer<typeof failureSchema>

/** Error words of providers that arrive without an HTTP status, inside a stream. */
const statusByWord: readonly (readonly [RegExp, number])[] = [
  [/rate_limit|too_many_requests/, 429],
  [/overloaded/, 529],
  [/authentication|invalid_api_key/, 401],
  [/permission/, 403],
  [/^(?:api_error|server_error|internal)/, 500],
]

/**
 * Converts an error of a model call to a ModelError that says in plain words whose fault it is. `begun`: the provider had already
 * started to answer.
 */
export function toModelError(error: unknown, names: ProviderNames, begun: boolean): ModelError {
  if (error instanceof ModelError) return error
  if (error instanceof StreamFailure) return toModelError(error.cause, names, true)
  const parsed = failureSchema.safeParse(error)
  const failure: Failure = parsed.success ? parsed.data : { message: String(error) }
  const said = errorMessageOf(failure, names)
  const status = failure.statusCode ?? statusOf(failure)
  const verdict = verdictOf(error, { failure, status, said, names, begun })
  return new ModelError(verdict.kind, startingUpper(verdict.text), {
    cause: withoutRequest(error, said),
    ...(verdict.retries === true ? retryAfter(failure) : {}),
    ...(verdict.isRetryable === undefined ? {} : { isRetryable: verdict.isRetryable }),
  })
}

interface Known {
  readonly failure: Failure
  readonly status: number | undefined
  readonly said: string
  readonly names: ProviderNames
  readonly begun: boolean
}

function verdictOf(error: unknown, { failure, status, said, names, begun }: Known): Verdict {
  const isOfKeyOrPace = status === 401 || status === 403 || status === 429
  if (!isOfKeyOrPace && isTooLong(failure)) {
    return {
      kind: 'too_long',
      text: `the prompt is too long for the model, says ${names.label}: ${said}`,
    }
  }
  if (status !== undefined && status >= 300) return fromStatus(status, failure, said, names)
  if (isGarbled(error)) {
    const text = `the answer of ${names.label} cannot be read: ${said}`
    return { kind: 'broken', text, isRetryable: true }
  }
  return fromConnection(networkCode(error), said, names, begun || status !== undefined)
}

/** Codes and phrases by which servers report that a prompt exceeds the context window (LOOP-12). */
const tooLong =
  /context_length_exceeded|exceed_context_size|request_too_large|(?:maximum|available|exceeds?(?: the)?(?: model'?s?)?(?: maximum)?) context (?:length|window|size|limit)|context (?:length|window|size|limit)(?: is| was)? exceeded|exceed(?:s|ed)?(?: the)? context limit|prompt is too long|input is too long|input token count .{0,80}exceeds|greater than the context length|longer than the (?:model's )?context/i

function isTooLong({ message, responseBody = '', code = '', type = '' }: Failure): boolean {
  return [message, responseBody.slice(0, 10_000), String(code), type].some((text) =>
    tooLong.test(text),
  )
}

/** The abort of our own signal, whatever error the provider made of it. */
export function abortedError(names: ProviderNames): ModelError {
  return new ModelError('aborted', `The call of ${names.label} was stopped.`)
}

interface Verdict {
  readonly kind: ModelFailureKind
  readonly text: string
  /** Whether the provider may have sent a time to retry after. */
  readonly retries?: boolean
  readonly isRetryable?: boolean
}

function fromStatus(status: number, failure: Failure, said: string, names: ProviderNames): Verdict {
  const { label, keyVariable, urlVariable } = names
  if (status === 401) {
    return { kind: 'refused', text: `${label} refused the key (401). Check ${keyVariable}.` }
  }
  if (status === 403) {
    const advice = `Check ${keyVariable} and whether it may use this model.`
    return { kind: 'refused', text: `${label} refused access (403). ${advice}` }
  }
  if (status === 429 && isOutOfCredit(failure)) {
    return { kind: 'refused', text: `the credit at ${label} is used up.` }
  }
  if (status === 429) {
    return { kind: 'rate_limited', text: `${label} asks to slow down (429).`, retries: true }
  }
  if (status >= 500 || status === 408) {
    const text = `${label} failed on its side (${status}): ${said}`
    return { kind: 'unreachable', text, retries: true }
  }
  if (status >= 400) {
    return { kind: 'refused', text: `${label} refused the request (${status}): ${said}` }
  }
  const advice = `Set ${urlVariable} to where it leads.`
  return { kind: 'refused', text: `${label} answered with a redirect (${status}). ${advice}` }
}

function fromConnection(
  network: string | undefined,
  said: string,
  { label, urlVariable }: ProviderNames,
  begun: boolean,
): Verdict {
  if (network === undefined) {
    return { kind: 'broken', text: `the answer of ${label} cannot be read: ${said}` }
  }
  if (begun) {
    const text = `the connection to ${label} broke in the middle of an answer.`
    return { kind: 'broken', text, isRetryable: true }
  }
  const advice = `Check the network and ${urlVariable}.`
  return { kind: 'unreachable', text: `${label} cannot be reached (${network}). ${advice}` }
}

function isOutOfCredit({ responseBody = '', code = '' }: Failure): boolean {
  return `${responseBody} ${code}`.includes('insufficient_quota')
}

/** RFC 9110, section 10.2.3: seconds or a date; some providers also send milliseconds. */
function retryAfter({ responseHeaders }: Failure): { retryAfterMs?: number } {
  const exact = Number(responseHeaders?.['retry-after-ms'] ?? Number.NaN)
  if (Number.isFinite(exact) && exact >= 0) return { retryAfterMs: exact }
  const header = responseHeaders?.['retry-after']?.trim()
  if (header === undefined || header === '') return {}
  const ms = /^\d+(?:\.\d+)?$/.test(header)
    ? Number(header) * 1000
    : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? { retryAfterMs: Math.max(0, Math.round(ms)) } : {}
}

function statusOf({ code, type }: Failure): number | undefined {
  const number = Number(code ?? Number.NaN)
  if (number >= 400 && number <= 599) return number
  return statusByWord.find(
    ([word]) => word.test(`${type ?? ''}`) || word.test(`${code ?? ''}`),
  )?.[1]
}

const spokenBody = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
])

function errorMessageOf(failure: Failure, names: ProviderNames): string {
  const body = spokenBody.safeParse(tryParseJson(failure.responseBody ?? ''))
  const text = (body.success ? body.data : failure.message).trim() || 'no reason given'
  const line = withoutSecret(toStorable(text), names.secret).replaceAll(/\s+/g, ' ')
  return line.length > maxSaidCharacters ? `${line.slice(0, maxSaidCharacters)}…` : line
}

function withoutSecret(text: string, secret: string | undefined): string {
  return secret === undefined || secret === '' ? text : text.replaceAll(secret, '[redacted]')
}

function startingUpper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The SDK's errors carry the whole request; a cause that may be logged must not. */
function withoutRequest(error: unknown, said: string): Error {
  const cause = new Error(said)
  if (error instanceof Error) cause.name = error.name
  return cause
}

function networkCode(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; depth++) {
    if ('code' in at && typeof at.code === 'string') return at.code
    if (at.message === 'fetch failed' && at.cause === undefined) return 'no connection'
    at = at.cause
  }
  return undefined
}

/** A provider's names in messages to people, and the secret to cut out of them. */
export interface ProviderNames {
  readonly label: string
  readonly keyVariable: string
  readonly urlVariable: string
  /** The API key, removed from the provider's messages. */
  readonly secret: string | undefined
}
