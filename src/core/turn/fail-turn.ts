import type { Db, TurnRow } from '../../db/schema.ts'
import { endTurn, updateOwnTurn } from '../../db/turns.ts'
import { toStorable } from '../../util/storable.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Effects } from '../kernel/transact.ts'
import { notice } from '../outbox/post.ts'
import { startNextTurn } from '../session/start-turn.ts'
import { lockScope } from './lock-scope.ts'
import type { Stepped } from './stepped.ts'

/** Ends a turn that cannot go on, and says why in plain words; what was written stays in the transcript. */
export async function failTurn(
  kernel: Kernel,
  db: Db,
  after: Effects,
  turn: TurnRow,
  why: string,
): Promise<Stepped> {
  const scope = await lockScope(db, turn)
  if ((await updateOwnTurn(db, turn.id, turn.epoch, {})) === undefined) return { kind: 'over' }
  await endTurn(db, turn.id, { state: 'failed', failure: toStorable(why) })
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
