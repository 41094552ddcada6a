import type { Db } from '../../db/schema.ts'
import { findUnread } from '../../db/turn/messages.ts'
import { findRecentCalls } from '../../db/turn/recent-calls.ts'
import { endTurn } from '../../db/turn/turns.ts'
import type { Scope } from '../call/gate/call-kernel.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Effects } from '../kernel/transact.ts'
import { endNotice } from '../outbox/post.ts'
import { startNextTurn } from '../session/start-turn.ts'
import { doomResults, doomSteps, findDoomLoop } from './find-doom-loop.ts'
import type { Stepped } from './stepped.ts'
import { tellEnded } from './tell-ended.ts'

/**
 * LOOP-11: ends a turn that goes round in circles, between its batch and the next step, and tells the person why. undefined:
 * it does not, or its caller has written something that the next step will read.
 */
export async function endDoomLoop(
  kernel: Kernel,
  db: Db,
  after: Effects,
  scope: Scope,
): Promise<Stepped | undefined> {
  const { turn, session, conversation } = scope
  // At the cap the next step is the last one anyway, and calls nothing (LOOP-10).
  if (turn.step < doomResults || turn.step >= kernel.settings.maxToolIterations) return undefined
  const last = { steps: doomSteps, results: doomResults }
  const loop = findDoomLoop(await findRecentCalls(db, turn, last))
  if (loop === undefined) return undefined
  const unread = await findUnread(db, session.id)
  if (unread.some(({ author }) => author === turn.caller_id)) return undefined
  const end = { state: 'stopped', epoch: turn.epoch, failure: `doom loop: ${loop}` } as const
  const ended = await endTurn(db, turn.id, end)
  if (ended === undefined) return { kind: 'over' }
  tellEnded(after, ended)
  kernel.log.warn({ turn: turn.id, loop }, 'a turn went round in circles')
  const text = `Stopped, since it went round in circles: ${loop}. Write again to go on, best with what should be done otherwise.`
  const own = { id: turn.id, conversationId: conversation.id }
  await endNotice(db, after, own, text, turn.caller_id)
  await startNextTurn(db, after, session)
  return { kind: 'over' }
}
