/** A message of the product, as a person sees it. */
export interface Shown {
  readonly id: string
  readonly text: string
  /** Whether it has the buttons of a question. */
  readonly asks: boolean
}

/** One conversation with somebody in it. */
export interface Talk {
  /** In no other conversation. */
  readonly name: string
  /** As the product names it; undefined before anything was said. */
  readonly place: string | undefined
  readonly platform: 'telegram' | 'slack'
  say(words: string): void
  /** What the product has written there, in order. */
  shown(): readonly Shown[]
  /** Taps *Approve*, and again where that came to nothing, until the card asks no more or `isDone`. */
  approve(id: string, isDone?: () => boolean): Promise<void>
}
