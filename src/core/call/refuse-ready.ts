import type { ToolCallRow } from '../../db/schema.ts'
import type { ToolError } from '../../domain/tool/tool-error.ts'
import type { TurnTransaction } from '../transaction.ts'
import { closeCard } from './close-card.ts'
import type { CallContext } from './gate/call-context.ts'
import { refuseCall } from './refuse-call.ts'
import { reformatHint } from './result/reformat-hint.ts'

/** Ends a call that was allowed once and does not run after all; a card of it says why. */
export async function refuseReady(
  tx: TurnTransaction<CallContext>,
  call: ToolCallRow,
  end: { readonly state: 'failed' | 'denied'; readonly error: ToolError },
): Promise<'settled'> {
  const hint = await reformatHint(tx.ctx, tx.db, call, end.error)
  await refuseCall(tx, call, tx.turn.caller_id, { ...end, hint })
  await closeCard(tx, call.id, end.error.message)
  return 'settled'
}
