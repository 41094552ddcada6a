import {
  addOutcome,
  addSuccess,
  beginIncident,
  countWindow,
  type Window,
} from '../../../db/call/tool-outcomes.ts'
import { findTrust, lockTrust, setTrust } from '../../../db/call/tool-trust.ts'
import type { Db, ToolCallRow } from '../../../db/schema.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import { outcomeOf } from '../../../domain/tool/tool-outcome.ts'
import { trustOf } from '../../../domain/trust.ts'
import { record } from '../../audit/record.ts'
import type { AnomalyLimits } from '../../context.ts'
import { alert, type Transaction } from '../../transaction.ts'
import { type CallContext, toolsOf } from './call-context.ts'

/** Minimum executions in the window before the failure rate counts. */
const leastExecutions = 10

/**
 * POL-04: records how a tool's execution ended, in the transaction that settles it. If too many recent ones failed, alerts
 * operators once per incident and blocks the tool if configured. Successes take no lock; failures of one tool are serialised, so
 * that the second of two sees the first.
 */
export async function watchTool(tx: Transaction<CallContext>, call: ToolCallRow): Promise<void> {
  const limits = tx.ctx.settings.anomaly
  const spec = toolsOf(tx.ctx, call).find(({ name }) => name === call.tool)
  // Agent tools work on our own rows: a failure there comes from invalid arguments.
  if (limits === undefined || spec === undefined || spec.runsIn === 'agent') return
  // CHAT-07: otherwise a sender of files could get it blocked for everybody with a workspace that takes none.
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
  // Ends the incident only well below the threshold, so that a rate near it does not alert repeatedly.
  await addSuccess(tx.db, call.tool, windowSize, failureThreshold / 2)
}

async function noteFailure(
  tx: Transaction<CallContext>,
  tool: string,
  { windowSize, failureThreshold, autoBlock }: AnomalyLimits,
): Promise<void> {
  // Taken before any lock that its holder may wait for.
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
  tx.effects.emit({ kind: 'tool_anomaly', tool, failureRate, failed, executions, blocked: blocks })
  await alert(tx, { text: alertText(tx.ctx.messages, tool, window, blocks) })
  await record(tx.db, {
    kind: 'anomaly',
    chain: 'system',
    tool,
    caller_id: setBy,
    note: `${describe(window)}${blocks ? '; it was blocked' : ''}`,
  })
}

/** Stands for the person who set a level. */
const setBy = 'anomaly'

async function block(db: Db, tool: string, window: Window): Promise<void> {
  await setTrust(db, { tool, level: 'blocked', set_by: setBy, reason: describe(window) })
}

function alertText({ turns }: Messages, tool: string, window: Window, blocked: boolean): string {
  const failing = turns.toolFails({ tool, ...window, percent: percentOf(window) })
  const next = blocked ? turns.toolBlocked({ tool }) : turns.toolBlockable({ tool })
  return `${failing} ${next}`
}

/** `15 of its last 20 executions failed (75 %)`. */
function describe({ executions, failed }: Window): string {
  const percent = percentOf({ executions, failed })
  return `${failed} of its last ${executions} executions failed (${percent} %)`
}

function percentOf({ executions, failed }: Window): number {
  return Math.round((failed / executions) * 100)
}
