import type { ToolCallRow } from '../../db/schema.ts'
import type { Verdict } from '../../domain/verdict.ts'
import type { TurnTransaction } from '../transaction.ts'
import type { CallContext } from './gate/call-context.ts'
import { denialOf } from './gate/judge-call.ts'
import { refuseReady } from './refuse-ready.ts'
import { tellNewVerdict } from './tell-call.ts'

/** Ends a call that was allowed once, and that its verdict, stored by now, denies. */
export function denyReady(
  tx: TurnTransaction<CallContext>,
  call: ToolCallRow,
  verdict: Verdict,
): Promise<'settled'> {
  tellNewVerdict(tx.effects, call, 'deny')
  return refuseReady(tx, call, { state: 'denied', error: denialOf(verdict) })
}
