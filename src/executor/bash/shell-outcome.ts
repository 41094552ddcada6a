import type { ExecutorOutcome } from '../../domain/tool/executor-protocol.ts'
import type { ShellEnvelope } from '../../domain/tool/tool-call.ts'
import type { ToolError } from '../../domain/tool/tool-error.ts'
import type { BoundedText } from './bounded-text.ts'
import { networkNote } from './child-environment.ts'

/** Output of a command. */
export interface Printed {
  readonly stdout: BoundedText
  readonly stderr: BoundedText
  /** Both streams in order of arrival. */
  readonly both: BoundedText
}

export type Ending =
  | { readonly kind: 'exited'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'cancelled' }

/** End of a program, with its output. */
export interface Run {
  readonly ending: Ending
  readonly printed: Printed
  readonly durationMs: number
  readonly timeoutMs: number
  /** Number of remaining processes that were ended. */
  readonly leftBehind: number
}

/** BASH-02, BASH-08: builds the outcome of a command, always with an envelope. */
export function toShellOutcome(run: Run, hasNetwork: boolean): ExecutorOutcome {
  const { ending, printed, durationMs, timeoutMs } = run
  const timedOut = ending.kind === 'timeout'
  const failed = ending.kind === 'exited' && ending.code !== 0
  const text = printed.both.toString()
  const envelope: ShellEnvelope = {
    stdout: printed.stdout.toString(),
    stderr: printed.stderr.toString(),
    exit_code: ending.kind === 'exited' ? ending.code : null,
    truncated: printed.stdout.truncated || printed.stderr.truncated || printed.both.truncated,
    duration_ms: Math.round(durationMs),
    timed_out: timedOut,
  }
  const network = networkNote(hasNetwork, { failed, timedOut }, text)
  const output = withLines(text, [statusOf(ending), leftoversOf(run), network])
  const error = toError(ending, timeoutMs)
  return error === undefined
    ? { kind: 'ok', output, envelope }
    : { kind: 'error', error, output, envelope }
}

function withLines(text: string, lines: readonly (string | undefined)[]): string {
  const notes = lines.filter((line) => line !== undefined).join('\n')
  if (notes === '') return text === '' ? '(no output)' : text
  if (text === '') return notes
  return text.endsWith('\n') ? `${text}${notes}` : `${text}\n${notes}`
}

function leftoversOf({ ending, leftBehind }: Run): string | undefined {
  if (ending.kind !== 'exited' || leftBehind === 0) return undefined
  const what = leftBehind === 1 ? '1 process' : `${leftBehind} processes`
  return `[${what} left running by it ended with it; "background": true keeps a command running]`
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
