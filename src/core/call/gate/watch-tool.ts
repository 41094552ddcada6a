import {
  addOutcome,
  beginIncident,
  countWindow,
  endIncident,
  type Window,
} from '../../../db/call/tool-outcomes.ts'
import { findTrust, lockTrust, setTrust } from '../../../db/call/tool-trust.ts'
import type { Db, ToolCallRow } from '../../../db/schema.ts'
import { outcomeOf } from '../../../domain/tool/tool-outcome.ts'
import { trustOf } from '../../../domain/trust.ts'
import { record } from '../../audit/record.ts'
import type { AnomalyLimits } from '../../context.ts'
import { alert } from '../../outbox/alert.ts'
import type { Transaction } from '../../transaction.ts'
import type { CallContext } from './call-context.ts'

/** So many executions must be in the window before its share of failures says anything. */
const leastExecutions = 10

/**
 * POL-04: notes how a tool's execution ended, in the transaction that settles it. Where too many of the last ones failed,
 * operators are told, once an incident, and the tool is blocked if that is configured. Successes wait for nobody; failures
 * of one tool are counted one after the other, so that of two at once the second sees the first.
 */
export async function watchTool(tx: Transaction<CallContext>, call: ToolCallRow): Promise<void> {
  const limits = tx.ctx.settings.anomaly
  const spec = tx.ctx.tools.find(({ name }) => name === call.tool)
  // Those of the agent work on our own rows: what fails there was asked wrongly.
  if (limits === undefined || spec === undefined || spec.runsIn === 'agent') return
  // CHAT-07: whoever may send files could have it blocked for everybody, by a workspace that takes none.
  if (spec.isForPeople === true) return
  // Nothing was executed (OUT-11).
  if (call.cached_from !== null) return
  const outcome = outcomeOf({
    state: call.state,
    category: call.error_category,
    hasEnvelope: call.envelope !== null,
    runsIn: spec.runsIn,
  })
  if (outcome === undefined) return
  if (outcome === 'failed') return noteFailure(tx, call.tool, limits)
  const { windowSize, failureThreshold } = limits
  await addOutcome(tx.db, call.tool, false, windowSize)
  // It is over once it is clearly better, so that a rate about the threshold is not told of again and again.
  await endIncident(tx.db, call.tool, windowSize, failureThreshold / 2)
}

async function noteFailure(
  tx: Transaction<CallContext>,
  tool: string,
  { windowSize, failureThreshold, autoBlock }: AnomalyLimits,
): Promise<void> {
  // Before anything that whoever has this lock may wait for.
  await lockTrust(tx.db, tool)
  await addOutcome(tx.db, tool, true, windowSize)
  const window = await countWindow(tx.db, tool, windowSize)
  const { executions, failed } = window
  if (executions < Math.min(leastExecutions, windowSize)) return
  if (failed / executions <= failureThreshold) return
  if (!(await beginIncident(tx.db, tool, window))) return
  const blocks = autoBlock && trustOf(await findTrust(tx.db), tool) !== 'blocked'
  if (blocks) await block(tx.db, tool, window)
  const failureRate = failed / executions
  tx.effects.tell({ kind: 'tool_anomaly', tool, failureRate, failed, executions, blocked: blocks })
  await alert(tx, { text: wordsOf(tool, window, blocks) })
  await record(tx.db, {
    kind: 'anomaly',
    chain: 'system',
    tool,
    caller_id: setBy,
    note: `${describe(window)}${blocks ? '; it was blocked' : ''}`,
  })
}

/** In the place of who set a level. */
const setBy = 'anomaly'

async function block(db: Db, tool: string, window: Window): Promise<void> {
  await setTrust(db, { tool, level: 'blocked', set_by: setBy, reason: describe(window) })
}

function wordsOf(tool: string, window: Window, blocked: boolean): string {
  const next = blocked
    ? `It is blocked now. Once it is mended, “countersign trust set ${tool} trusted” lets it run again.`
    : `“countersign trust set ${tool} blocked” would keep it from being called.`
  return `CRITICAL: the tool ${tool} keeps failing: ${describe(window)}. ${next}`
}

/** `15 of its last 20 executions failed (75 %)`. */
function describe({ executions, failed }: Window): string {
  const percent = Math.round((failed / executions) * 100)
  return `${failed} of its last ${executions} executions failed (${percent} %)`
}
