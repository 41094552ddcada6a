/** A call as a fault hook sees it. */
export interface IncomingCall {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  /** Counts the calls from 0. */
  readonly index: number
}

export type Fault =
  /** Status 429 with Retry-After, in seconds; the method stays closed for so long. */
  | { readonly kind: '429'; readonly retryAfter: number }
  /** The connection is destroyed and nothing was done. */
  | { readonly kind: 'drop-before' }
  /** It was done, and the connection is destroyed before the answer. */
  | { readonly kind: 'drop-after' }
  /** Nothing was done; the body is a page. */
  | { readonly kind: 'status'; readonly code: number }
  /** Nothing was done, and Slack says so: `internal_error`, `service_unavailable`, `ekm_access_denied`. */
  | { readonly kind: 'error'; readonly error: string }
  /** It was done, and the answer is no JSON. */
  | { readonly kind: 'garbled' }
  /** Done and answered later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Nothing is done and no answer comes. */
  | { readonly kind: 'hang' }

export type FaultHook = (call: IncomingCall) => Fault | undefined

/** Faults for the next calls, in order; by method, or for whatever comes. */
export class FaultScript {
  readonly #waiting: { readonly method: string | undefined; readonly fault: Fault | undefined }[] =
    []

  /** `undefined` among the faults lets one call pass. */
  add(method: string | undefined, faults: readonly (Fault | undefined)[]): void {
    this.#waiting.push(...faults.map((fault) => ({ method, fault })))
  }

  get left(): number {
    return this.#waiting.length
  }

  /** What is told for this call, which may be to let it pass. Undefined: nothing is. */
  take(call: IncomingCall): { readonly fault: Fault | undefined } | undefined {
    const index = this.#waiting.findIndex(
      ({ method }) => method === undefined || method === call.method,
    )
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0]
  }
}
