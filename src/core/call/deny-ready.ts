import type { Db, ToolCallRow } from '../../db/schema.ts'
import type { Verdict } from '../../domain/verdict.ts'
import type { Effects } from '../kernel/transact.ts'
import type { CallKernel, Scope } from './gate/call-kernel.ts'
import { denialOf } from './gate/judge-call.ts'
import { refuseReady } from './refuse-ready.ts'
import { tellNewVerdict } from './tell-call.ts'

/** Ends a call that was allowed once, and that its verdict, stored by now, denies. */
export function denyReady(
  kernel: CallKernel,
  db: Db,
  after: Effects,
  scope: Scope,
  call: ToolCallRow,
  verdict: Verdict,
): Promise<'settled'> {
  tellNewVerdict(after, call, 'deny')
  return refuseReady(kernel, db, after, scope, call, { state: 'denied', error: denialOf(verdict) })
}
