import type { SessionRow, TurnRow } from '../../../db/schema.ts'
import type { Model } from '../../../ports/model.ts'
import type { TurnKernel } from '../turn-kernel.ts'

type Kernel = Pick<TurnKernel, 'model' | 'fallback' | 'choices'>

/** The model that answers in a turn: the one chosen for its session, and the second one from where that took over (MODEL-04). */
export function modelOf(kernel: Kernel, turn: TurnRow, session: SessionRow): Model {
  return turn.on_fallback && kernel.fallback !== undefined
    ? kernel.fallback
    : chosenModel(kernel, session)
}

/** One that is configured no more is not chosen. */
function chosenModel({ model, choices }: Kernel, session: SessionRow): Model {
  return (session.model === null ? undefined : choices?.get(session.model)) ?? model
}
