import type { Db, TurnRow } from '../../db/schema.ts'
import { endTurn } from '../../db/turn/turns.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Effects } from '../kernel/transact.ts'
import { closeTurn } from './close-turn.ts'
import { tellEnded } from './tell-ended.ts'

/** LOOP-14: ends a turn now, as a person wants it. Call under the session's lock. */
export async function stopTurn(
  kernel: Kernel,
  db: Db,
  after: Effects,
  turn: TurnRow,
  stop: { readonly by: Caller; readonly why: string },
): Promise<void> {
  const ended = await endTurn(db, turn.id, { state: 'stopped', stoppedBy: stop.by.name })
  if (ended === undefined) return
  tellEnded(after, ended)
  after.abortTurn(turn.id)
  await closeTurn(kernel, db, after, turn, { by: stop.by.id, why: stop.why })
}
