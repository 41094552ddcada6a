import { queuedForMs } from '../../../db/call/silent-calls.ts'
import type { Db, ToolCallRow } from '../../../db/schema.ts'
import type { ToolError } from '../../../domain/tool/tool-error.ts'
import type { CallOutcome } from '../../../rules/jobs/contract.ts'
import { minJobLifetimeMs } from '../../../rules/jobs/sign.ts'
import type { CallContext } from '../gate/call-context.ts'

const interrupted: ToolError = {
  category: 'permanent_failure',
  message:
    'interrupted: the worker died while this ran. It may have had effects, was not run again, and nothing of it runs any more',
}

/** Error of a call whose worker fell silent. */
export const silentWorkerError: ToolError = {
  category: 'permanent_failure',
  message:
    'interrupted: its worker was not heard of any more while this ran. It may have had effects, may still run, and was not run again',
}

/** Maximum times a call returned untouched is sent again; beyond that, waiting does not help. */
const maxTurnedBack = 5

/**
 * A worker's journal lasts a day. A call sent longer ago than this, in milliseconds, or reported as started, may have run even if
 * it is answered as never started.
 */
const certainMs = 12 * 60 * 60_000

/** Whether the executor or worker did nothing. */
export function isUntouched({ kind }: CallOutcome): boolean {
  return kind === 'elsewhere' || kind === 'changed' || kind === 'refused'
}

export type Returned =
  | { readonly kind: 'end'; readonly outcome: CallOutcome }
  /** Nothing was done: the call goes through the gate again. `counts`: towards `maxTurnedBack`. */
  | { readonly kind: 'again'; readonly counts: boolean }

const stopped: CallOutcome = {
  kind: 'failed',
  error: { category: 'cancelled', message: 'the call was stopped before it began' },
}

/**
 * Classifies a worker's answer: a call that was not started goes back to the gate, unless it is being cancelled or was returned
 * too often.
 */
export async function classifyReturn(
  db: Db,
  call: ToolCallRow,
  outcome: CallOutcome,
): Promise<Returned> {
  const end = { kind: 'end', outcome } as const
  if (!isUntouched(outcome)) return end
  const forMs = await queuedForMs(db, call.id)
  if (outcome.kind === 'refused' && (call.state === 'running' || forMs > certainMs)) {
    return { kind: 'end', outcome: { kind: 'interrupted' } }
  }
  if (call.cancel_requested_at !== null) return { kind: 'end', outcome: stopped }
  // DECISIONS 15: a job that expired while the worker was busy does not count against the call.
  const counts = outcome.kind !== 'refused' || forMs < minJobLifetimeMs
  const isOften = counts && call.turned_back + 1 >= maxTurnedBack
  return isOften ? end : { kind: 'again', counts }
}

/**
 * BASH-07: error of an interrupted call, with the worker's note on its effects if the box died; if the worker died, how a person
 * can undo them.
 */
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

/** Error of a call that the worker returned without starting. */
export function notStartedError(outcome: CallOutcome): ToolError {
  const why = outcome.kind === 'refused' ? `: ${outcome.why}` : ''
  return {
    // A worker refuses valid jobs if its clock is off or its workspace differs from its greeting: the call is not at fault.
    category: outcome.kind === 'refused' ? 'server_error' : 'permanent_failure',
    message: `the worker did not begin it (${outcome.kind}${why})`,
  }
}
