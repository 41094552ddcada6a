import type { ToolCallRow } from '../../../db/schema.ts'
import type { ToolError } from '../../../domain/tool/tool-error.ts'
import type { CallOutcome } from '../../../rules/jobs/contract.ts'
import type { CallContext } from '../gate/call-context.ts'

const interrupted: ToolError = {
  category: 'permanent_failure',
  message:
    'interrupted: the worker died while this ran. It may have had effects, was not run again, and nothing of it runs any more',
}

/** BASH-07: what a worker did about the effects of a call whose box died; where it died itself, what a person can do. */
export function interruptedError(
  { settings }: CallContext,
  { mutating }: ToolCallRow,
  { note }: Extract<CallOutcome, { kind: 'interrupted' }>,
): ToolError {
  const isKept = mutating && settings.transaction !== undefined
  const hint = isKept ? '/undo puts the workspace back as it was before it' : undefined
  const more = note ?? hint
  return more === undefined
    ? interrupted
    : { ...interrupted, message: `${interrupted.message} (${more})` }
}

/** What of a call is told whose worker fell silent. */
export const unheardError: ToolError = {
  category: 'permanent_failure',
  message:
    'interrupted: its worker was not heard of any more while this ran. It may have had effects, may still run, and was not run again',
}

/** Why a worker gave a call back that it had not begun. */
export function notBegun(outcome: CallOutcome): ToolError {
  const why = outcome.kind === 'refused' ? `: ${outcome.why}` : ''
  return {
    // A worker that refuses what is good has a clock that is off, or another workspace than it said: the call is not at fault.
    category: outcome.kind === 'refused' ? 'server_error' : 'permanent_failure',
    message: `the worker did not begin it (${outcome.kind}${why})`,
  }
}
