/** What Slack answers instead of a result: `{"ok": false, "error": …}` with status 200, or a plain HTTP status. */
export class Refusal extends Error {
  readonly status: number
  /** Further fields of the answer: `needed`, `provided`, `errors`, `response_metadata`. */
  readonly details: Readonly<Record<string, unknown>>
  readonly retryAfter: number | undefined

  constructor(
    error: string,
    details: Readonly<Record<string, unknown>> = {},
    http: { readonly status?: number; readonly retryAfter?: number } = {},
  ) {
    super(error)
    this.name = 'Refusal'
    this.status = http.status ?? 200
    this.details = details
    this.retryAfter = http.retryAfter
  }
}

/** An error with what is wrong, as Slack lists it in `errors` and in `response_metadata.messages`. */
export function refusalWith(error: string, problems: readonly string[]): Refusal {
  const messages = problems.map((problem) => `[ERROR] ${problem}`)
  return new Refusal(error, { errors: problems, response_metadata: { messages } })
}

/** Arguments that a method cannot take. */
export function invalidArguments(...problems: readonly string[]): Refusal {
  const messages = problems.map((problem) => `[ERROR] ${problem}`)
  return new Refusal('invalid_arguments', { response_metadata: { messages } })
}

/** Slack's one use of a status: https://docs.slack.dev/apis/web-api/rate-limits */
export function rateLimited(retryAfter: number): Refusal {
  return new Refusal('ratelimited', {}, { status: 429, retryAfter })
}
