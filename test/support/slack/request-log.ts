/** What became of a call. */
export type Outcome =
  /** It runs, or no answer will come. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'ok'; readonly result: unknown }
  | { readonly kind: 'refused'; readonly status: number; readonly error: string }
  /** The connection was destroyed; `done`: after it was carried out. */
  | { readonly kind: 'dropped'; readonly done: boolean }
  /** It was carried out, and the answer was no JSON. */
  | { readonly kind: 'garbled' }

export interface LoggedCall {
  /** As Slack writes it: `chat.postMessage`. */
  readonly method: string
  readonly token: string | undefined
  readonly params: Readonly<Record<string, unknown>>
  /** Unix milliseconds. */
  readonly at: number
  readonly outcome: Outcome
}

export interface OpenCall extends LoggedCall {
  outcome: Outcome
}
