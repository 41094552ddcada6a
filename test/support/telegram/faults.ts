/** A call as a fault hook sees it. */
export interface IncomingCall {
  readonly token: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  /** Counts the calls from 0. */
  readonly index: number
}

export type Fault =
  | { readonly kind: '429'; readonly retryAfter: number }
  /** The connection is destroyed and nothing was done. */
  | { readonly kind: 'drop-before' }
  /** It was done, and the connection is destroyed before the answer. */
  | { readonly kind: 'drop-after' }
  /** Nothing was done. Without a description the body is no JSON, as of a proxy in between. */
  | { readonly kind: 'status'; readonly code: number; readonly description?: string }
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
    this.#waiting.push(...faults.map((fault) => ({ method: method?.toLowerCase(), fault })))
  }

  get left(): number {
    return this.#waiting.length
  }

  take(call: IncomingCall): Fault | undefined {
    const index = this.#waiting.findIndex(
      ({ method }) => method === undefined || method === call.method.toLowerCase(),
    )
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0]?.fault
  }
}

/**
 * Faults by chance, the same ones for the same seed and order of calls. `rates` are shares of 1, tried in order;
 * `methods` limits them.
 */
export function randomFaults(options: {
  readonly seed: number
  readonly rates: readonly (readonly [Fault, number])[]
  readonly methods?: readonly string[]
}): FaultHook {
  const next = randomNumbers(options.seed)
  return ({ method }) => {
    if (options.methods !== undefined && !options.methods.includes(method)) return undefined
    let drawn = next()
    return options.rates.find(([, rate]) => {
      drawn -= rate
      return drawn < 0
    })?.[0]
  }
}

/** mulberry32: numbers in [0, 1). */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
