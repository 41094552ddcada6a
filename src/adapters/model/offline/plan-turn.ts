import type { ToolRequest, TranscriptMessage } from '../../../domain/message.ts'
import { parseRequest } from './parse-request.ts'
import type { Step } from './step.ts'

export interface DoneCall {
  readonly call: ToolRequest
  readonly text: string
  readonly isError: boolean
}

/** State of a turn: what was asked, what is done, what is left. */
export interface Plan {
  /** Batches of steps not requested yet. */
  readonly left: readonly (readonly Step[])[]
  readonly done: readonly DoneCall[]
  /** Words of the user that no rule matches. */
  readonly unknown: readonly string[]
}

type Run = readonly { readonly index: number; readonly text: string }[]

/**
 * Derives the turn's state from the transcript. The user's last messages that hold a request are the task (later ones without one
 * are remarks); each model message since then was one batch.
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

/** The user's messages in this turn, consecutive ones joined; the previous turn ended with an answer. */
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
