import type { TurnRow } from '../../db/schema.ts'
import { endTurn } from '../../db/turn/turns.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { CallContext } from '../call/gate/call-context.ts'
import { endNotice } from '../outbox/post.ts'
import { startNextTurn } from '../session/start-turn.ts'
import type { Transaction } from '../transaction.ts'
import { closeTurn } from './close-turn.ts'
import { lockTurn } from './lock-turn.ts'
import type { Stepped } from './stepped.ts'
import { tellEnded } from './tell-ended.ts'

/** Ends a turn that cannot go on, and says why in plain words; what was written stays in the transcript. */
export async function failTurn(
  tx: Transaction<CallContext>,
  turn: TurnRow,
  why: string,
): Promise<Stepped> {
  const { session, conversation } = await lockTurn(tx, turn)
  const end = { state: 'failed', epoch: turn.epoch, failure: toStorable(why) } as const
  const failed = await endTurn(tx.db, turn.id, end)
  if (failed === undefined) return { kind: 'over' }
  tellEnded(tx.effects, failed)
  await closeTurn(tx, turn, { why: 'the turn failed' })
  tx.ctx.log.warn({ turn: turn.id, why }, 'a turn failed')
  await endNotice(
    tx,
    { id: turn.id, conversationId: conversation.id },
    `This did not work: ${why.replace(/\.$/, '')}. Your message is kept: /retry tries again.`,
    turn.caller_id,
  )
  await startNextTurn(tx, session)
  return { kind: 'over' }
}
