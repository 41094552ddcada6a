import type { ToolCallRow } from '../../db/schema.ts'
import { settledCallStates } from '../../domain/tool/tool-call.ts'
import type { EventOf } from '../../ports/observer.ts'
import { readVerdict } from '../stored.ts'
import type { Effects } from '../transaction.ts'

/** By which an event names its call. */
export function namesOf(call: ToolCallRow) {
  return { turnId: call.turn_id, callId: call.id, tool: nameOf(call.tool) }
}

/** A model may call anything by any words; only what could be a tool's name is passed on. */
function nameOf(tool: string): string {
  return /^[\w.-]{1,64}$/.test(tool) ? tool : 'other'
}

type Told = EventOf<'call_decided'>['verdict']

/** Tells what the gate says of a call that has just come to be. */
export function tellFirstVerdict(effects: Effects, call: ToolCallRow): void {
  effects.tell({ kind: 'call_decided', ...namesOf(call), verdict: verdictOf(call), isFirst: true })
}

/** Tells that the gate says something else, now that the call was about to be sent. */
export function tellNewVerdict(effects: Effects, call: ToolCallRow, verdict: Told): void {
  effects.tell({ kind: 'call_decided', ...namesOf(call), verdict, isFirst: false })
}

function verdictOf(call: ToolCallRow): Told {
  if (call.state === 'failed') return 'unjudged'
  if (call.state === 'denied') return 'deny'
  return readVerdict(call).action
}

/** Tells how a call ended. */
export function tellSettled(effects: Effects, call: ToolCallRow): void {
  const result = settledCallStates.find((state) => state === call.state)
  if (result === undefined) return
  effects.tell({
    kind: 'call_settled',
    ...namesOf(call),
    attempt: call.attempt,
    result,
    ms: call.duration_ms ?? 0,
    lastedMs: (call.settled_at?.getTime() ?? 0) - call.created_at.getTime(),
    ...(call.error_category === null ? {} : { category: call.error_category }),
    ...(call.worker === null || call.attempt === 0 ? {} : { worker: call.worker }),
    ...(call.replica === null ? {} : { replica: call.replica }),
    ...(call.driver === null ? {} : { driver: call.driver }),
  })
}
