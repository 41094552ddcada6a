import { setTimeout as delay } from 'node:timers/promises'
import { findPending } from '../../db/approval/approvals.ts'
import { findExplainingOfTurn } from '../../db/approval/reason-waits.ts'
import { findOpenCalls } from '../../db/call/tool-calls.ts'
import { nextInbound } from '../../db/outbox/inbox.ts'
import { hasPendingOutgoing } from '../../db/outbox/outbox.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import { findPresentSession } from '../../db/turn/sessions.ts'
import { findLiveTurn } from '../../db/turn/turns.ts'
import { isConnectionLoss } from '../../util/connection-loss.ts'

const pollMs = 20
/** How long a database that does not answer is waited for. */
const lossPatienceMs = 60_000

/** Where a conversation stands when nothing moves in it: what waits for a person, oldest first. */
export interface Quiet {
  readonly pending: readonly ApprovalRow[]
}

/**
 * Waits until a conversation has nothing under way but questions to people, and everything was delivered. For a
 * program at the other end of a pipe, which must not answer before it was asked.
 */
export async function waitForIdle(
  db: Db,
  conversationId: string,
  worker: string,
  signal?: AbortSignal,
): Promise<Quiet> {
  let answeredAt = Date.now()
  for (;;) {
    signal?.throwIfAborted()
    try {
      const quiet = await look(db, conversationId, worker)
      if (quiet !== undefined) return quiet
      answeredAt = Date.now()
    } catch (error) {
      // INT-32: our own server is started again when it ends, another one may come back.
      if (!isConnectionLoss(error) || Date.now() - answeredAt > lossPatienceMs) throw error
    }
    await delay(pollMs, undefined, signal === undefined ? {} : { signal })
  }
}

async function look(db: Db, conversationId: string, worker: string): Promise<Quiet | undefined> {
  if ((await nextInbound(db, conversationId)) !== undefined) return undefined
  const session = await findPresentSession(db, conversationId, worker)
  if (session === undefined) return settled(db, conversationId, [])
  const pending = await findPending(db, session.id)
  const turn = await findLiveTurn(db, session.id)
  if (turn === undefined) return settled(db, conversationId, pending)
  if (turn.state !== 'acting' || turn.next_due !== null || turn.lease_owner !== null)
    return undefined
  const open = await findOpenCalls(db, turn.id)
  const isBusy = open.some((call) => call.state === 'queued' || call.state === 'running')
  const isShown = pending.every((approval) => approval.card_outbox_id !== null)
  if (isBusy || !isShown) return undefined
  const explaining = await findExplainingOfTurn(db, turn.id)
  if (pending.length === 0 && explaining.length === 0) return undefined
  return settled(db, conversationId, pending)
}

async function settled(
  db: Db,
  conversationId: string,
  pending: readonly ApprovalRow[],
): Promise<Quiet | undefined> {
  return (await hasPendingOutgoing(db, conversationId)) ? undefined : { pending }
}
