import type { ExecutorOutcome } from '../domain/tool/executor-protocol.ts'
import type { Call } from './call.ts'
import { fingerprintOf } from './fingerprint-of.ts'
import { stateName } from './state-name.ts'

type Run = (call: Call) => Promise<ExecutorOutcome>

/** What these answer is names alone: to look whether it is the same is to make it. */
const listing: ReadonlySet<string> = new Set(['list_directory', 'find_path'])

/**
 * OUT-11: answers `unchanged` where what a call looks at is in the state that it knows. Else runs it, and names the state from
 * before: what it read is of that state or of a later one, which has another name.
 */
export async function runUnlessKnown(call: Call, run: Run): Promise<ExecutorOutcome> {
  const { cache, tool } = call.request
  if (cache === undefined) return run(call)
  if (listing.has(tool)) return named(await run(call), cache.known)
  const fingerprint = await fingerprintOf(call)
  if (fingerprint !== undefined && fingerprint === cache.known) return { kind: 'unchanged' }
  const outcome = await run(call)
  return outcome.kind === 'ok' && fingerprint !== undefined ? { ...outcome, fingerprint } : outcome
}

/** An answer by its own name, or that it is the known one. */
function named(outcome: ExecutorOutcome, known: string | undefined): ExecutorOutcome {
  if (outcome.kind !== 'ok') return outcome
  const fingerprint = stateName([outcome.output])
  return fingerprint === known ? { kind: 'unchanged' } : { ...outcome, fingerprint }
}
