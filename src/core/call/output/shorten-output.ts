import { insertOverflow } from '../../../db/call/overflow.ts'
import { filesChangedSince, saveCachedResult } from '../../../db/call/result-cache.ts'
import { isMutating } from '../../../db/call/tool-calls.ts'
import type { Db, ToolCallRow } from '../../../db/schema.ts'
import { getConversation } from '../../../db/turn/conversations.ts'
import { getSession } from '../../../db/turn/sessions.ts'
import { platformFacts } from '../../../domain/chat-platforms.ts'
import type { CallOutcome, FilteredOutput } from '../../../rules/jobs/contract.ts'
import { boundBytes } from '../../../rules/output/bound-bytes.ts'
import { filterStatistics } from '../../../rules/output/filters/apply-filters.ts'
import { cutOverflow } from '../../../rules/output/keep-ends.ts'
import { newId } from '../../../util/ids.ts'
import { toStorable } from '../../../util/text/storable.ts'
import { type Connected, notice, type Transaction } from '../../transaction.ts'
import { type CallContext, toolsOf } from '../gate/call-context.ts'

export interface ShortOutput {
  /** For the model, with a reference to the rest. */
  readonly result: string
  /** For people. */
  readonly output: string
  /** Whether only head and tail remain; lines removed by filters do not count. */
  readonly truncated: boolean
  /** OUT-13: a summary shall replace head and tail. */
  readonly summary_state?: 'wanted'
}

/**
 * OUT-02, OUT-09: shortens tool output for the model: filtered, then cut if too long. If anything is missing, stores the whole
 * redacted text under a reference that this session can read.
 */
export async function shortenOutput(
  tx: Connected<CallContext>,
  call: ToolCallRow,
  text: string,
  filtered: FilteredOutput | undefined,
): Promise<ShortOutput> {
  const whole = toStorable(text)
  const shown = filtered?.text === undefined ? whole : toStorable(filtered.text)
  const { overflowThreshold, overflowMaxBytes } = tx.ctx.settings
  const id = newId()
  const { text: output, cut } = cutOverflow(shown, overflowThreshold, id)
  if (output === whole) return { result: output, output, truncated: false }
  const content = overflowMaxBytes === 0 ? whole : boundBytes(whole, overflowMaxBytes).text
  const entry = { id, sessionId: call.session_id, callId: call.id, content }
  await insertOverflow(tx.db, { ...entry, kind: 'whole' })
  const line = shown === whole ? '' : `${gapBehind(output)}${referenceLine(filtered, id)}`
  // Summaries are for models only; for a person's own command the output is the answer.
  const isSummed = cut && tx.ctx.settings.summariseOutput === true && call.message_id !== null
  const summary = isSummed ? ({ summary_state: 'wanted' } as const) : {}
  return { result: `${output}${line}`, output, truncated: cut, ...summary }
}

function referenceLine(filtered: FilteredOutput | undefined, id: string): string {
  const { linesBefore = 0, linesAfter = 0 } = filtered ?? {}
  return `[filtered: ${linesAfter} of ${linesBefore} lines; all of them with overflow:${id}]`
}

function gapBehind(text: string): string {
  return text === '' || text.endsWith('\n') ? '' : '\n'
}

/** OUT-06: posts, on the terminal, where people watch each call, one line about how much the filters removed, if anything. */
export async function postFilterStatistics(tx: Transaction, call: ToolCallRow): Promise<void> {
  const line = statisticsOf(call)
  if (line === undefined) return
  const { conversation_id: id } = await getSession(tx.db, call.session_id)
  const { platform } = await getConversation(tx.db, id)
  if (platformFacts(platform).isLocal) await notice(tx, id, line)
}

/** OUT-06: returns the filter statistics; undefined if the filters removed no line. */
export function statisticsOf({ lines_before, lines_after }: ToolCallRow): string | undefined {
  if (lines_before === null || lines_after === null) return undefined
  return filterStatistics({ linesBefore: lines_before, linesAfter: lines_after })
}

/**
 * OUT-11: caches a call's result for the session. Results from files are kept only with their fingerprint, and not if a call that
 * may change them ran meanwhile. Call under the lock of an open session, once
 * the call is settled.
 */
export async function keepResult(
  tx: Transaction<CallContext>,
  call: ToolCallRow,
  outcome: CallOutcome,
): Promise<void> {
  const { resultCache } = tx.ctx.settings
  const { cache_key: key, tool } = call
  if (resultCache === undefined || key === null) return
  if (outcome.kind !== 'succeeded') return
  const { fingerprint } = outcome
  const isOfBox = toolsOf(tx.ctx, call).find(({ name }) => name === tool)?.runsIn === 'box'
  if (isOfBox !== (fingerprint !== undefined)) return
  if (isOfBox && (await mayHaveChanged(tx.db, call))) return
  const result = { callId: call.id, fingerprint }
  const entry = { sessionId: call.session_id, turnId: call.turn_id, key, result }
  await saveCachedResult(tx.db, entry, resultCache)
}

async function mayHaveChanged(db: Db, call: ToolCallRow): Promise<boolean> {
  return (await isMutating(db, call.session_id)) || (await filesChangedSince(db, call.id))
}
