import type { Db } from '../../db/schema.ts'
import { findTurn } from '../../db/turns.ts'
import type { Caller } from '../../domain/caller.ts'
import type { TapAnswer } from '../../ports/chat.ts'
import { record } from '../audit/record.ts'
import type { InboundBody } from './inbound.ts'

/** SLACK-05: what a person says an answer was worth. It is a row of the audit and changes nothing; of several the last one counts. */
export async function tapFeedback(
  db: Db,
  caller: Caller,
  { turnId, verdict }: Extract<InboundBody, { kind: 'feedback' }>,
): Promise<TapAnswer> {
  const turn = await findTurn(db, turnId)
  if (turn === undefined) return { text: 'That answer is not kept any more.', alert: true }
  await record(db, {
    kind: 'feedback',
    chain: turn.session_id,
    session_id: turn.session_id,
    turn_id: turn.id,
    caller_id: caller.id,
    note: verdict,
  })
  return { text: 'Thank you.', alert: false }
}
