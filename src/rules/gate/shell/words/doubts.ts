import type { Command } from 'unbash'
import type { Effect } from '../../../../domain/effect.ts'
import type { Listing } from '../analysis.ts'
import type { WordHazard } from './word-hazards.ts'

/** The reasons why a command may do more than its text shows. */
export class Doubts {
  readonly hazards = new Set<string>()
  /** By the command that receives the names. */
  readonly listings = new Map<Command, Listing>()

  /** What a card shows for a hazard, by its sentence (CARD-01). */
  readonly effects = new Map<string, Effect>()

  hazard(reason: string | undefined, effect?: Effect): void {
    if (reason === undefined) return
    this.hazards.add(reason)
    if (effect !== undefined && !this.effects.has(reason)) this.effects.set(reason, effect)
  }

  /** `about`: the part of the text that it concerns. */
  word({ reason, kind }: WordHazard, about: string): void {
    this.hazard(reason, { kind, of: about })
  }

  /** Records a disagreement with our own lexer; irrelevant after the first hazard. */
  agree(agrees: boolean): void {
    if (!agrees && this.hazards.size === 0) {
      this.hazards.add('its words cannot be told apart with certainty')
    }
  }
}
