/** What became of a call. */
export type Outcome =
  /** It runs, or no answer will come. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'ok'; readonly result: unknown }
  | { readonly kind: 'refused'; readonly code: number; readonly description: string }
  /** The connection was destroyed; `done`: after it was carried out. */
  | { readonly kind: 'dropped'; readonly done: boolean }
  /** Whoever asked went away before there was an answer. */
  | { readonly kind: 'gone' }

export interface LoggedCall {
  readonly token: string
  /** As it was written in the URL. */
  readonly method: string
  /** Files are there with their name and size. */
  readonly params: Readonly<Record<string, unknown>>
  /** Unix milliseconds. */
  readonly at: number
  readonly outcome: Outcome
}

export interface OpenCall extends LoggedCall {
  outcome: Outcome
}
