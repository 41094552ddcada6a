import type { Run } from './runs/run.ts'
import type { Size, SizeOf } from './runs/size.ts'

/** Who wrote a text, which decides what of it may be more than words: commands of ours can be tapped in `notice` only. */
export type Origin = 'answer' | 'notice' | 'card'

/** How a platform shows marked text: the same words become the same message everywhere, drawn by its means. */
export interface Canvas<Drawn> {
  /** Of one message. */
  readonly limit: Size
  /** Of the text that a passing message shows beside its status. */
  readonly liveLimit: Size
  readonly sizeOf: SizeOf
  /** CHAT-05: takes the effect from words that the platform would make something of: a mention, a command. */
  defuse(runs: readonly Run[], origin: Origin): readonly Run[]
  draw(runs: readonly Run[]): Drawn
}
