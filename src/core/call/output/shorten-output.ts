import { insertOverflow } from '../../../db/call/overflow.ts'
import type { ToolCallRow } from '../../../db/schema.ts'
import type { FilteredOutput } from '../../../rules/jobs/contract.ts'
import { boundBytes } from '../../../rules/output/bound-bytes.ts'
import { cutOverflow } from '../../../rules/output/cut-overflow.ts'
import { newId } from '../../../util/new-id.ts'
import { toStorable } from '../../../util/text/storable.ts'
import type { Connected } from '../../transaction.ts'
import type { CallContext } from '../gate/call-context.ts'

export interface ShortOutput {
  /** For the model: says where the rest is. */
  readonly result: string
  /** For people. */
  readonly output: string
  /** Whether head and tail alone are left; what filters removed does not count. */
  readonly truncated: boolean
  /** OUT-13: that a summary is wanted in the place of head and tail. */
  readonly summary_state?: 'wanted'
}

/**
 * OUT-02, OUT-09: what a tool printed as the model is shown it: filtered, then cut where it is too long. Whenever anything is missing, the
 * whole redacted text is kept beside, with a reference that this session can read.
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
  // Only a model is shown one: of a person's own command the output is the answer.
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
