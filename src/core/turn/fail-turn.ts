import type { Db, TurnRow } from '../../db/schema.ts'
import { endTurn } from '../../db/turn/turns.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { CallContext } from '../call/gate/call-context.ts'
import { endNotice } from '../outbox/post.ts'
import { startNextTurn } from '../session/start-turn.ts'
import type { Effects } from '../transaction.ts'
import { closeTurn } from './close-turn.ts'
import { lockScope } from './lock-scope.ts'
import type { Stepped } from './stepped.ts'
import { tellEnded } from './tell-ended.ts'

/** Ends a turn that cannot go on, and says why in plain words; what was written stays in the transcript. */
export async function failTurn(
  ctx: CallContext,
  db: Db,
  after: Effects,
  turn: TurnRow,
  why: string,
): Promise<Stepped> {
  const scope = await lockScope(db, turn)
  const end = { state: 'failed', epoch: turn.epoch, failure: toStorable(why) } as const
  const failed = await endTurn(db, turn.id, end)
  if (failed === undefined) return { kind: 'over' }
  tellEnded(after, failed)
  await closeTurn(ctx, db, after, turn, { why: 'the turn failed' })
  ctx.log.warn({ turn: turn.id, why }, 'a turn failed')
  await endNotice(
    db,
    after,
    { id: turn.id, conversationId: scope.conversation.id },
    `This did not work: ${why.replace(/\.$/, '')}. Your message is kept: /retry tries again.`,
    turn.caller_id,
  )
  await startNextTurn(db, after, scope.session)
  return { kind: 'over' }
}
