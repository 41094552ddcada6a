import type { TurnRow } from '../../db/schema.ts'
import type { Model } from '../../ports/model.ts'
import type { TurnKernel } from './turn-kernel.ts'

/** The model that answers in a turn: the second one from where it took over (MODEL-04). */
export function modelOf({ model, fallback }: TurnKernel, turn: TurnRow): Model {
  return turn.on_fallback ? (fallback ?? model) : model
}
