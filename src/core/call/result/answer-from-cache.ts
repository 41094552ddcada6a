import { type CachedResult, findCachedResult } from '../../../db/call/result-cache.ts'
import { findCall, settleWithoutWorker, type ToolCallChange } from '../../../db/call/tool-calls.ts'
import type { Db, ToolCallRow } from '../../../db/schema.ts'
import { declaredPaths } from '../../../rules/gate/paths/judged-paths.ts'
import { canonicalArguments } from '../../../rules/tools/canonical-arguments.ts'
import type { ToolSpec } from '../../../rules/tools/tool-spec.ts'
import { canonicalJson } from '../../../util/canonical-json.ts'
import { sha256 } from '../../../util/digest.ts'
import { showCallEnd } from '../../card/cards.ts'
import { gateCallOf } from '../../card/read-card.ts'
import type { TurnTransaction } from '../../transaction.ts'
import { recordDecided, recordSettled } from '../audit-call.ts'
import type { CallContext, GateTransaction } from '../gate/call-context.ts'
import { fileRulesOf } from '../gate/file-rules.ts'
import { type Ready, storedVerdict } from '../gate/judge-call.ts'

/**
 * OUT-11: settles a call with a cached result that needs no comparison; returns false if there is none. The call passed the gate
 * as usual, and both audit rows say that nothing ran.
 */
export async function answerFromCache(
  tx: TurnTransaction<CallContext>,
  { call, approval, judged }: Ready,
  { key, result }: CacheLookup,
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
  await showCallEnd(tx, settled)
  return true
}

/** Returns the result of the call in `cached_from`; undefined if it is unusable. */
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

/** Cache key of a call, and the cached result, if any. */
export interface CacheLookup {
  readonly key: string
  readonly result: CachedResult | undefined
}

/**
 * OUT-11: looks up the session's cached result for a call that passed the gate; undefined: the call is not cacheable. Rules that
 * hide parts of results are in the key, so a result never shows what current rules hide.
 */
export async function findCached(
  tx: GateTransaction,
  { call, judged }: Pick<Ready, 'call' | 'judged'>,
): Promise<CacheLookup | undefined> {
  const { resultCache, overflowRetentionDays } = tx.ctx.settings
  const { spec, args } = judged
  if (resultCache === undefined || !isCacheable(spec)) return undefined
  const place =
    spec.runsIn === 'box'
      ? {
          rules: fileRulesOf(tx.ctx, spec, tx.facts),
          judged: declaredPaths(gateCallOf(call, judged), tx.facts),
        }
      : tx.ctx.web
  const key = sha256(canonicalJson([spec.name, canonicalArguments(args), place]))
  const of = { sessionId: tx.session.id, turnId: tx.turn.id, key }
  const result = await findCachedResult(tx.db, of, resultCache.ttlMs, overflowRetentionDays)
  return { key, result }
}

/** Also guards against a spec that wrongly marks a call with effects as cacheable. */
function isCacheable({ cacheable, idempotent, mutating, runsIn }: ToolSpec): boolean {
  return cacheable && idempotent && !mutating && runsIn !== 'agent'
}
