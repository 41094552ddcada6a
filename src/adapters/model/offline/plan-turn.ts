import type { ToolRequest, TranscriptMessage } from '../../../domain/message.ts'
import { parseRequest } from './parse-request.ts'
import type { Step } from './step.ts'

export interface DoneCall {
  readonly call: ToolRequest
  readonly text: string
  readonly isError: boolean
}

/** Where a turn stands: what was asked, what has come back, what is still to do. */
export interface Plan {
  /** Batches of steps not yet asked for. */
  readonly left: readonly (readonly Step[])[]
  readonly done: readonly DoneCall[]
  /** Words of the person that no rule places. */
  readonly unknown: readonly string[]
}

type Run = readonly { readonly index: number; readonly text: string }[]

/**
 * Reads off the transcript how far the turn is. The last messages of the person that hold a request are
 * the task (later ones that do not are remarks); each message of the model since then was one batch of it.
 */
export function planTurn(messages: readonly TranscriptMessage[]): Plan {
  const runs = userRuns(messages)
  const parsed = runs.map((run) => ({
    run,
    batches: run.flatMap(({ text }) => parseRequest(text)),
  }))
  const at = parsed.findLastIndex(({ batches }) =>
    batches.flat().some((step) => step.kind === 'call'),
  )
  const task = parsed[at]
  const remarks = parsed.slice(at + 1).flatMap(({ batches }) => unknownOf(batches))
  const since = messages.slice((task?.run.at(-1)?.index ?? messages.length) + 1)
  const asked = since.filter((message) => message.role === 'assistant' && message.calls.length > 0)
  const batches = (task?.batches ?? []).map((batch) => batch.filter((step) => step.kind === 'call'))
  return {
    left: batches.filter((batch) => batch.length > 0).slice(asked.length),
    done: doneCalls(since),
    unknown: [...unknownOf(task?.batches ?? []), ...remarks],
  }
}

/** What people wrote in this turn, messages in a row together; the turn before ended with an answer. */
function userRuns(messages: readonly TranscriptMessage[]): Run[] {
  const start =
    messages.findLastIndex(({ role, ...rest }) => role === 'assistant' && !hasCalls(rest)) + 1
  const runs: { index: number; text: string }[][] = []
  for (const [index, message] of messages.entries()) {
    if (index < start || message.role !== 'user') continue
    const last = runs.at(-1)
    if (last?.at(-1)?.index === index - 1) last.push({ index, text: message.text })
    else runs.push([{ index, text: message.text }])
  }
  return runs
}

function hasCalls(message: object): boolean {
  return 'calls' in message && Array.isArray(message.calls) && message.calls.length > 0
}

function doneCalls(since: readonly TranscriptMessage[]): DoneCall[] {
  const calls = since.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
  return calls.flatMap((call) => {
    const result = since.find((message) => message.role === 'tool' && message.callId === call.id)
    return result?.role === 'tool' ? [{ call, text: result.text, isError: result.isError }] : []
  })
}

function unknownOf(batches: readonly (readonly Step[])[]): string[] {
  return batches.flat().flatMap((step) => (step.kind === 'unknown' ? [step.text] : []))
}
