import { findCall, settleWithoutWorker, type ToolCallChange } from '../../../db/call/tool-calls.ts'
import type { Db, ToolCallRow } from '../../../db/schema.ts'
import { tellCard } from '../../card/tell-card.ts'
import type { TurnTransaction } from '../../transaction.ts'
import { recordDecided, recordSettled } from '../audit-call.ts'
import type { CallContext } from '../gate/call-context.ts'
import { storedVerdict } from '../gate/stored-verdict.ts'
import type { Ready } from '../ready.ts'
import type { Remembered } from './find-cached.ts'

/**
 * OUT-11: settles a call by a remembered result that nothing has to be compared for; false: there is none. It passed the gate as every
 * call does, and both rows of the audit say that nothing was run.
 */
export async function answerFromCache(
  tx: TurnTransaction<CallContext>,
  { call, approval, judged }: Ready,
  { key, result }: Remembered,
): Promise<boolean> {
  if (result === undefined || result.fingerprint !== undefined) return false
  const known = await knownResult(tx.db, { ...call, cached_from: result.callId })
  if (known === undefined) return false
  const { caller_id: callerId } = tx.turn
  const verdict = storedVerdict(judged.verdict)
  await recordDecided(tx, { ...call, verdict }, callerId, { approval, cached: true })
  const settled = await settleWithoutWorker(tx.db, call.id, {
    ...known,
    verdict,
    cache_key: key,
    duration_ms: 0,
  })
  if (settled === undefined) return true
  await recordSettled(tx, settled, callerId)
  await tellCard(tx, settled)
  return true
}

/** The result of the call that this one may be answered with; undefined: it has none. */
export async function knownResult(
  db: Db,
  call: Pick<ToolCallRow, 'session_id' | 'cached_from'>,
): Promise<ToolCallChange | undefined> {
  if (call.cached_from === null) return undefined
  const source = await findCall(db, call.cached_from)
  if (source?.session_id !== call.session_id || source.state !== 'succeeded') return undefined
  const { id, result, output, truncated, summary, summary_state } = source
  const ended = { state: 'succeeded', is_error: false } as const
  return { ...ended, result, output, truncated, summary, summary_state, cached_from: id }
}
