import type { CallState } from './tool-call.ts'
import type { ToolErrorCategory } from './tool-error.ts'

/** Settled call, as input for tool statistics. */
export interface EndedCall {
  readonly state: CallState
  readonly category: string | null
  /** True if the call has a shell envelope, which exists once the command ran. */
  readonly hasEnvelope: boolean
  readonly runsIn: 'box' | 'worker'
}

/** Categories that count against a tool. `server_error` from a box does not, since it is the box that broke. */
const failures: ReadonlySet<string> = new Set<ToolErrorCategory>([
  'permanent_failure',
  'rate_limited',
  'server_error',
  'network_error',
  'timeout',
])

/**
 * POL-04: classifies a call for tool statistics; undefined if it says nothing about the tool. Calls that were denied,
 * stopped, forbidden, malformed or interrupted are not executions. A command that ran has worked, whatever its exit
 * code and even if it hit its time limit, since both depend on the command.
 */
export function outcomeOf(call: EndedCall): 'worked' | 'failed' | undefined {
  if (call.state === 'succeeded') return 'worked'
  if (call.state !== 'failed' || call.category === null) return undefined
  if (!failures.has(call.category)) return undefined
  if (call.hasEnvelope) return 'worked'
  return call.category === 'server_error' && call.runsIn === 'box' ? undefined : 'failed'
}
