import { updateCall } from '../../db/call/tool-calls.ts'
import type { ToolCallRow } from '../../db/schema.ts'
import type { Verdict } from '../../domain/verdict.ts'
import type { Transaction } from '../transaction.ts'
import type { JudgedCall } from './gate/standing-now.ts'
import { storedVerdict } from './gate/stored-verdict.ts'
import { supersede } from './supersede.ts'
import { tellNewVerdict } from './tell-call.ts'

/** A call that needs a person, and the verdict that says so. */
export interface Ask {
  readonly call: ToolCallRow
  readonly verdict: Verdict
  readonly args: Readonly<Record<string, unknown>>
}

/** Makes a call wait that was about to go; what was approved of it before is superseded, for the reason `why`. */
export async function askAgain(
  tx: Transaction,
  call: ToolCallRow,
  { verdict, args }: Pick<JudgedCall, 'verdict' | 'args'>,
  why: string,
): Promise<Ask> {
  await supersede(tx, call.id, why)
  const waiting = await updateCall(tx.db, call.id, {
    state: 'awaiting_approval',
    verdict: storedVerdict(verdict),
    base_sha256: null,
    preview: 'none',
  })
  tellNewVerdict(tx.effects, waiting, 'ask')
  return { call: waiting, verdict, args }
}
