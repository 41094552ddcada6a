import { byChance } from '../../by-chance.ts'

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

/** Faults by chance; `methods` limits them. */
export function randomFaults(options: {
  readonly seed: number
  readonly rates: readonly (readonly [Fault, number])[]
  readonly methods?: readonly string[]
}): FaultHook {
  const draw = byChance(options.seed, options.rates)
  return ({ method }) => {
    if (options.methods !== undefined && !options.methods.includes(method)) return undefined
    return draw()
  }
}
