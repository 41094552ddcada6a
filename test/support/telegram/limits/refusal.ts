/** What the Bot API answers instead of a result. */
export class Refusal extends Error {
  readonly code: number
  readonly parameters: { readonly retry_after?: number } | undefined

  constructor(code: number, description: string, parameters?: { readonly retry_after: number }) {
    super(description)
    this.name = 'Refusal'
    this.code = code
    this.parameters = parameters
  }
}

export function badRequest(what: string): Refusal {
  return new Refusal(400, `Bad Request: ${what}`)
}

export function forbidden(what: string): Refusal {
  return new Refusal(403, `Forbidden: ${what}`)
}

export function conflict(what: string): Refusal {
  return new Refusal(409, `Conflict: ${what}`)
}

export function tooManyRequests(retryAfter: number): Refusal {
  return new Refusal(429, `Too Many Requests: retry after ${retryAfter}`, {
    retry_after: retryAfter,
  })
}
