import type { Command } from 'unbash'
import type { Listing } from '../analysis.ts'

/** Why a command is not taken for what its text says. */
export class Doubts {
  readonly hazards = new Set<string>()
  /** By the command that is given the names. */
  readonly listings = new Map<Command, Listing>()

  hazard(reason: string | undefined): void {
    if (reason !== undefined) this.hazards.add(reason)
  }

  /** What our own reading does not agree about; after the first hazard it does not matter any more. */
  agree(agrees: boolean): void {
    if (!agrees && this.hazards.size === 0) {
      this.hazards.add('its words cannot be told apart with certainty')
    }
  }
}
