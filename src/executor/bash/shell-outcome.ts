import type { ExecutorOutcome } from '../../domain/executor-protocol.ts'
import type { ShellEnvelope } from '../../domain/tool-call.ts'
import type { ToolError } from '../../domain/tool-error.ts'
import type { BoundedText } from './bounded-text.ts'

/** What a command has printed so far. */
export interface Printed {
  readonly stdout: BoundedText
  readonly stderr: BoundedText
  /** Both as they came. */
  readonly both: BoundedText
}

export type Ending =
  | { readonly kind: 'exited'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'cancelled' }

/** BASH-02, BASH-08: the answer to a command, with the envelope whatever happened. */
export function toShellOutcome(
  ending: Ending,
  printed: Printed,
  durationMs: number,
  timeoutMs: number,
): ExecutorOutcome {
  const envelope: ShellEnvelope = {
    stdout: printed.stdout.toString(),
    stderr: printed.stderr.toString(),
    exit_code: ending.kind === 'exited' ? ending.code : null,
    truncated: printed.stdout.truncated || printed.stderr.truncated || printed.both.truncated,
    duration_ms: Math.round(durationMs),
    timed_out: ending.kind === 'timeout',
  }
  const output = describe(ending, printed.both.toString())
  const error = toError(ending, timeoutMs)
  return error === undefined
    ? { kind: 'ok', output, envelope }
    : { kind: 'error', error, output, envelope }
}

function describe(ending: Ending, text: string): string {
  const status = statusOf(ending)
  if (status === undefined) return text === '' ? '(no output)' : text
  if (text === '') return status
  return text.endsWith('\n') ? `${text}${status}` : `${text}\n${status}`
}

function statusOf(ending: Ending): string | undefined {
  if (ending.kind !== 'exited') return undefined
  if (ending.code === null) return `[ended by signal ${ending.signal ?? 'unknown'}]`
  return ending.code === 0 ? undefined : `[exit code ${ending.code}]`
}

function toError(ending: Ending, timeoutMs: number): ToolError | undefined {
  if (ending.kind === 'timeout') {
    return { category: 'timeout', message: `The command was ended after ${timeoutMs / 1000} s` }
  }
  if (ending.kind === 'cancelled') {
    return { category: 'cancelled', message: 'The command was stopped before it ended' }
  }
  if (ending.code === 126) {
    return {
      category: 'policy_blocked',
      message: 'The program may not be executed (exit code 126)',
    }
  }
  if (ending.code === 127) {
    return { category: 'permanent_failure', message: 'The program was not found (exit code 127)' }
  }
  return undefined
}
