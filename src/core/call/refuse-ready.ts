import type { Db, ToolCallRow } from '../../db/schema.ts'
import type { ToolError } from '../../domain/tool/tool-error.ts'
import type { Effects } from '../transaction.ts'
import { closeCard } from './close-card.ts'
import type { CallContext, Scope } from './gate/call-context.ts'
import { refuseCall } from './refuse-call.ts'
import { reformatHint } from './result/reformat-hint.ts'

/** Ends a call that was allowed once and does not run after all; a card of it says why. */
export async function refuseReady(
  ctx: CallContext,
  db: Db,
  after: Effects,
  scope: Scope,
  call: ToolCallRow,
  end: { readonly state: 'failed' | 'denied'; readonly error: ToolError },
): Promise<'settled'> {
  const hint = await reformatHint(ctx, db, call, end.error)
  await refuseCall(ctx, db, after, call, scope.turn.caller_id, { ...end, hint })
  await closeCard(db, after, call.id, end.error.message)
  return 'settled'
}
