import { filesChangedSince, saveCachedResult } from '../../../db/call/result-cache.ts'
import { isMutating } from '../../../db/call/tool-calls.ts'
import type { Db, SessionRow, ToolCallRow } from '../../../db/schema.ts'
import type { CallOutcome } from '../../../rules/jobs/contract.ts'
import type { Transaction } from '../../transaction.ts'
import type { CallContext } from '../gate/call-context.ts'

/**
 * OUT-11: remembers how a call ended, for the next one like it. What was made from files only with the name of their state, and
 * never where a call that may change them ran meanwhile. Call under the session's lock, once the call is settled.
 */
export async function keepResult(
  tx: Transaction<CallContext>,
  session: SessionRow,
  call: ToolCallRow,
  outcome: CallOutcome,
): Promise<void> {
  const { resultCache } = tx.ctx.settings
  const { cache_key: key, tool } = call
  if (resultCache === undefined || key === null || session.state !== 'open') return
  if (outcome.kind !== 'succeeded') return
  const { fingerprint } = outcome
  const isOfBox = tx.ctx.tools.find(({ name }) => name === tool)?.runsIn === 'box'
  if (isOfBox !== (fingerprint !== undefined)) return
  if (isOfBox && (await mayHaveChanged(tx.db, call))) return
  const result = { callId: call.id, fingerprint }
  const entry = { sessionId: session.id, turnId: call.turn_id, key, result }
  await saveCachedResult(tx.db, entry, resultCache)
}

async function mayHaveChanged(db: Db, call: ToolCallRow): Promise<boolean> {
  return (await isMutating(db, call.session_id)) || (await filesChangedSince(db, call.id))
}
