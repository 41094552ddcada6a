/** What became of a decision; `text` says it to whoever decided. */
export interface Decided {
  readonly kind: 'applied' | 'late' | 'forbidden' | 'unknown'
  readonly text: string
}
