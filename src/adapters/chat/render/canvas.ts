import type { ButtonsView } from './card-buttons.ts'
import type { Run } from './runs/run.ts'
import type { Size, SizeOf } from './runs/size.ts'

/** Source of a text, which decides what may be active in it: commands can be tapped in a `notice` only. */
export type Origin = 'answer' | 'notice' | 'card'

/** A platform's way of showing marked text: the same content everywhere, drawn with its means. */
export interface Canvas<Drawn> extends ButtonsView {
  /** Limit of one message. */
  readonly limit: Size
  /** Limit of the text in a transient message, beside its status line. */
  readonly liveLimit: Size
  readonly sizeOf: SizeOf
  /** Makes mentions and commands inert (CHAT-05). */
  makeInert(runs: readonly Run[], origin: Origin): readonly Run[]
  /** `name` precedes the text of a notification, which shows nothing else of the message. */
  draw(runs: readonly Run[], name?: string): Drawn
}
