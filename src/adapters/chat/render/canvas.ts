import type { Run } from './runs/run.ts'
import type { Size, SizeOf } from './runs/size.ts'

/** Source of a text, which decides what may be active in it: commands can be tapped in a `notice` only. */
export type Origin = 'answer' | 'notice' | 'card'

/** A platform's way of showing marked text: the same content everywhere, drawn with its means. */
export interface Canvas<Drawn> {
  /** Limit of one message. */
  readonly limit: Size
  /** Limit of the text in a transient message, beside its status line. */
  readonly liveLimit: Size
  readonly sizeOf: SizeOf
  /** Whether details can be folded; without it they stand below in full (CARD-02). */
  readonly folds?: true
  /** Makes mentions and commands inert (CHAT-05). */
  makeInert(runs: readonly Run[], origin: Origin): readonly Run[]
  draw(runs: readonly Run[]): Drawn
}
