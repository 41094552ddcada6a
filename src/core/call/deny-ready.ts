import type { Db, ToolCallRow } from '../../db/schema.ts'
import type { Verdict } from '../../domain/verdict.ts'
import type { Effects } from '../transaction.ts'
import type { CallContext, Scope } from './gate/call-context.ts'
import { denialOf } from './gate/judge-call.ts'
import { refuseReady } from './refuse-ready.ts'
import { tellNewVerdict } from './tell-call.ts'

/** Ends a call that was allowed once, and that its verdict, stored by now, denies. */
export function denyReady(
  ctx: CallContext,
  db: Db,
  after: Effects,
  scope: Scope,
  call: ToolCallRow,
  verdict: Verdict,
): Promise<'settled'> {
  tellNewVerdict(after, call, 'deny')
  return refuseReady(ctx, db, after, scope, call, { state: 'denied', error: denialOf(verdict) })
}
