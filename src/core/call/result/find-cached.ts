import { type CachedResult, findCachedResult } from '../../../db/call/result-cache.ts'
import { judgedPaths } from '../../../rules/gate/paths/judged-paths.ts'
import { canonicalArguments } from '../../../rules/tools/canonical-arguments.ts'
import type { ToolSpec } from '../../../rules/tools/tool-spec.ts'
import { canonicalJson } from '../../../util/canonical-json.ts'
import { sha256 } from '../../../util/sha256.ts'
import { gateCallOf } from '../../card/gate-call-of.ts'
import { fileRulesOf } from '../gate/file-rules-of.ts'
import type { GateTransaction } from '../gate/load-facts.ts'
import type { Ready } from '../ready.ts'

/** By what a call's result is remembered, and what is remembered by it already. */
export interface Remembered {
  readonly key: string
  readonly result: CachedResult | undefined
}

/**
 * OUT-11: for a call that passed the gate and may be answered from what its session remembers; undefined: it is always run. What a
 * rule hides from a result is part of the key, so that nothing is shown by it that rules of now would hide.
 */
export async function findCached(
  tx: GateTransaction,
  { call, judged }: Pick<Ready, 'call' | 'judged'>,
): Promise<Remembered | undefined> {
  const { resultCache, overflowRetentionDays } = tx.ctx.settings
  const { spec, args } = judged
  if (resultCache === undefined || !isCacheable(spec)) return undefined
  const place =
    spec.runsIn === 'box'
      ? {
          rules: fileRulesOf(tx.ctx, spec, tx.facts),
          judged: judgedPaths(gateCallOf(call, judged), tx.facts),
        }
      : tx.ctx.web
  const key = sha256(canonicalJson([spec.name, canonicalArguments(args), place]))
  const of = { sessionId: tx.session.id, turnId: tx.turn.id, key }
  const result = await findCachedResult(tx.db, of, resultCache.ttlMs, overflowRetentionDays)
  return { key, result }
}

/** Also when its spec says otherwise by mistake, nothing is kept of a call that does something. */
function isCacheable({ cacheable, idempotent, mutating, runsIn }: ToolSpec): boolean {
  return cacheable && idempotent && !mutating && runsIn !== 'agent'
}
