import type { TurnRow } from '../../db/schema.ts'
import { releaseMidStep } from '../../db/turn/turns.ts'
import type { TurnContext } from './turn-context.ts'

/** Where this agent is ending and the turn still its own: another one takes it at once. Of one that is lost or over nothing changes. */
export async function handOn({ db, signals }: TurnContext, { id, epoch }: TurnRow): Promise<void> {
  const left = await releaseMidStep(db, id, epoch)
  if (left !== undefined) await signals.turnDue(left.id, left.epoch)
}
