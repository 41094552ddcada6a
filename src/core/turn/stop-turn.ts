import type { TurnRow } from '../../db/schema.ts'
import { endTurn } from '../../db/turn/turns.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Transaction } from '../transaction.ts'
import { closeTurn } from './close-turn.ts'
import { tellEnded } from './tell-ended.ts'

/** LOOP-14: ends a turn now, as a person wants it. Call under the session's lock. */
export async function stopTurn(
  tx: Transaction,
  turn: TurnRow,
  stop: { readonly by: Caller; readonly why: string },
): Promise<void> {
  const ended = await endTurn(tx.db, turn.id, { state: 'stopped', stoppedBy: stop.by.name })
  if (ended === undefined) return
  tellEnded(tx.effects, ended)
  tx.effects.abortTurn(turn.id)
  await closeTurn(tx, turn, stop)
}
