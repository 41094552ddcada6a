/** What came of showing something passing. */
export type ShowOutcome =
  | { readonly kind: 'shown' }
  /** Not before the time. */
  | { readonly kind: 'early'; readonly readyAt: number }
  /** Something durable goes first, or what it is about is over. */
  | { readonly kind: 'held' }
  /** `isFinal`: it will not be taken the next time either. */
  | { readonly kind: 'failed'; readonly isFinal: boolean }
