import type { Db, TurnRow } from '../../db/schema.ts'
import { endTurn } from '../../db/turns.ts'
import { toStorable } from '../../util/storable.ts'
import type { CallKernel } from '../call/call-kernel.ts'
import type { Effects } from '../kernel/transact.ts'
import { notice } from '../outbox/post.ts'
import { startNextTurn } from '../session/start-turn.ts'
import { closeTurn } from './close-turn.ts'
import { lockScope } from './lock-scope.ts'
import type { Stepped } from './stepped.ts'

/** Ends a turn that cannot go on, and says why in plain words; what was written stays in the transcript. */
export async function failTurn(
  kernel: CallKernel,
  db: Db,
  after: Effects,
  turn: TurnRow,
  why: string,
): Promise<Stepped> {
  const scope = await lockScope(db, turn)
  const end = { state: 'failed', epoch: turn.epoch, failure: toStorable(why) } as const
  if ((await endTurn(db, turn.id, end)) === undefined) return { kind: 'over' }
  await closeTurn(kernel, db, after, scope.session, turn, { why: 'the turn failed' })
  kernel.log.warn({ turn: turn.id, why }, 'a turn failed')
  await notice(
    db,
    after,
    scope.conversation.id,
    `This did not work: ${why}. Your message is kept; write again to go on.`,
  )
  await startNextTurn(db, after, scope.session)
  return { kind: 'over' }
}
