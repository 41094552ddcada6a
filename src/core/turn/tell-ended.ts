import type { TurnRow } from '../../db/schema.ts'
import type { Effects } from '../transaction.ts'

/** Tells that a turn has ended, whoever ended it. */
export function tellEnded(effects: Effects, ended: TurnRow): void {
  const { id, session_id, kind, state, step, created_at, ended_at } = ended
  if (state !== 'done' && state !== 'stopped' && state !== 'failed') return
  effects.tell({
    kind: 'turn_ended',
    turnId: id,
    sort: kind,
    sessionId: session_id,
    state,
    steps: step,
    ms: (ended_at?.getTime() ?? 0) - created_at.getTime(),
  })
}
