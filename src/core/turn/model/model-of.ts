import type { SessionRow, TurnRow } from '../../../db/schema.ts'
import type { Model } from '../../../ports/model.ts'
import type { TurnContext } from '../turn-context.ts'

type CoreContext = Pick<TurnContext, 'model' | 'fallback' | 'choices'>

/** Returns the model of a turn: the one chosen for its session, or the second model once that took over (MODEL-04). */
export function modelOf(ctx: CoreContext, turn: TurnRow, session: SessionRow): Model {
  return turn.on_fallback && ctx.fallback !== undefined ? ctx.fallback : chosenModel(ctx, session)
}

/** A chosen model that is no longer configured is ignored. */
function chosenModel({ model, choices }: CoreContext, session: SessionRow): Model {
  return (session.model === null ? undefined : choices?.get(session.model)) ?? model
}
