import type { Command } from 'unbash'
import type { Effect, EffectKind } from '../../../../domain/effect.ts'
import type { Listing } from '../analysis.ts'

/** The kind of effect of a word that has a hazard. */
function kindOf(reason: string): EffectKind {
  if (/ that look like others$/.test(reason)) return 'hidden_characters'
  return /home directory$/.test(reason) ? 'names_outside' : 'unanalysable'
}

/** The reasons why a command may do more than its text shows. */
export class Doubts {
  readonly hazards = new Set<string>()
  /** By the command that receives the names. */
  readonly listings = new Map<Command, Listing>()

  /** What a card shows for a hazard, by its sentence (CARD-01). */
  readonly effects = new Map<string, Effect>()

  /** `about`: the part of the text that it concerns, or the effect that it has. */
  hazard(reason: string | undefined, about?: string | Effect): void {
    if (reason === undefined) return
    this.hazards.add(reason)
    const effect = typeof about === 'string' ? { kind: kindOf(reason), of: about } : about
    if (effect !== undefined && !this.effects.has(reason)) this.effects.set(reason, effect)
  }

  /** Records a disagreement with our own lexer; irrelevant after the first hazard. */
  agree(agrees: boolean): void {
    if (!agrees && this.hazards.size === 0) {
      this.hazards.add('its words cannot be told apart with certainty')
    }
  }
}
