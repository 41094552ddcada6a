import type { Command } from 'unbash'
import type { Listing } from '../analysis.ts'

/** The reasons why a command may do more than its text shows. */
export class Doubts {
  readonly hazards = new Set<string>()
  /** By the command that receives the names. */
  readonly listings = new Map<Command, Listing>()

  hazard(reason: string | undefined): void {
    if (reason !== undefined) this.hazards.add(reason)
  }

  /** Records a disagreement with our own lexer; irrelevant after the first hazard. */
  agree(agrees: boolean): void {
    if (!agrees && this.hazards.size === 0) {
      this.hazards.add('its words cannot be told apart with certainty')
    }
  }
}
