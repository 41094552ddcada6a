import type { CallState } from './tool-call.ts'
import type { ToolErrorCategory } from './tool-error.ts'

/** A call that ended, as far as it says something of its tool. */
export interface EndedCall {
  readonly state: CallState
  readonly category: string | null
  /** Whether it has the envelope of a shell command, which is there once the command ran. */
  readonly hasEnvelope: boolean
  readonly runsIn: 'box' | 'worker'
}

/** What counts against a tool; of a box `server_error` does not, since that is the box which broke. */
const failures: ReadonlySet<string> = new Set<ToolErrorCategory>([
  'permanent_failure',
  'rate_limited',
  'server_error',
  'network_error',
  'timeout',
])

/**
 * POL-04: whether an execution worked or failed, for watching tools; undefined: it says nothing of the tool. What people
 * denied or stopped, what was forbidden or asked wrongly, and what was interrupted are no executions. A command that ran is
 * one that worked, whatever its exit code, also where it was ended after its time limit: both are up to the command.
 */
export function outcomeOf(call: EndedCall): 'worked' | 'failed' | undefined {
  if (call.state === 'succeeded') return 'worked'
  if (call.state !== 'failed' || call.category === null) return undefined
  if (!failures.has(call.category)) return undefined
  if (call.hasEnvelope) return 'worked'
  return call.category === 'server_error' && call.runsIn === 'box' ? undefined : 'failed'
}
