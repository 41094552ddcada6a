import { buildCore } from '../../../app/build-core.ts'
import type { Config } from '../../../config/config.ts'
import { record } from '../../../core/audit/record.ts'
import { notice, transact } from '../../../core/transaction.ts'
import { closeTurn } from '../../../core/turn/end-turn.ts'
import { lockTurn } from '../../../core/turn/turn-context.ts'
import {
  closeRestoredMessages,
  findTurnsInProgress,
  raiseEpochs,
} from '../../../db/backup/turns-in-progress.ts'
import type { Db, TurnRow } from '../../../db/schema.ts'
import { endTurn } from '../../../db/turn/turns.ts'
import { english } from '../../../domain/messages/messages.ts'
import { silentObserver } from '../../../ports/observer.ts'
import { silentLog } from '../../../util/log.ts'

export interface RestoredAt {
  readonly config: Config
  readonly db: Db
  /** ISO time of the backup. */
  readonly madeAt: string
  /** Caller id of the person who restores. */
  readonly by: string
  /** True if nothing ran since the backup, so that everything continues. */
  readonly isMoved: boolean
}

/**
 * Settles work that was in progress at the time of the backup, since it may have been done afterwards by the lost
 * product: working turns are stopped, approved and running calls are not repeated, pending messages are not sent, and
 * people are informed. Turns that only wait for approvals keep waiting. Returns the number of stopped turns.
 */
export async function settleRestored(restored: RestoredAt): Promise<number> {
  const { config, db, madeAt, by, isMoved } = restored
  const note = `restored the database from a backup of ${madeAt}`
  await record(db, { kind: 'command', chain: 'system', caller_id: by, note })
  await raiseEpochs(db)
  if (isMoved) return 0
  const observer = silentObserver
  const ctx = buildCore({ config, db, signals: noSignals, observer, log: silentLog })
  const words = await closeRestoredMessages(db)
  const turns = await findTurnsInProgress(db)
  for (const turn of turns) await stop(ctx, turn, madeAt)
  for (const { conversation_id, caller_id } of words) {
    const text = ctx.messages.turns.restoredMessage({ time: madeAt })
    await transact(ctx, (tx) => notice(tx, conversation_id, text, caller_id))
  }
  return turns.length
}

function stop(ctx: ReturnType<typeof buildCore>, turn: TurnRow, madeAt: string): Promise<void> {
  return transact(ctx, async (tx) => {
    const { conversation } = await lockTurn(tx, turn)
    const failure = english.cards.cancelReasons.restored
    if ((await endTurn(tx.db, turn.id, { state: 'stopped', failure })) === undefined) return
    await closeTurn(tx, turn, { why: 'restored' })
    const text = ctx.messages.turns.restoredTurn({ time: madeAt })
    await notice(tx, conversation.id, text, turn.caller_id)
  })
}

/** No process is listening; on start the product finds due work in the rows. */
const noSignals = {
  turnDue: async () => undefined,
  outboxDue: async () => undefined,
  turnStopped: async () => undefined,
  boxesDue: async () => undefined,
  rulesDue: async () => undefined,
  toolsDue: async () => undefined,
  sendJob: async () => undefined,
  sendCancel: async () => undefined,
  live: async () => undefined,
  pass: async () => false,
}
