import type { ToolRequest, TranscriptMessage } from '../../../domain/message.ts'
import { filesHeader } from '../../../domain/upload-name.ts'
import { matchPhrase } from './phrases.ts'
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

const maxMessageCharacters = 100_000
const verbs =
  'run|execute|list|show|read|cat|open|display|print|view|find|locate|search|grep|look|write|create|make|save|append|add|edit|replace|change|fetch|get|visit|scrape|delete|remove|move|rename|copy|mkdir|use|call'
const polite = '(?:(?:please|also|now|next|finally|kindly)\\s+|(?:can|could|would|will)\\s+you\\s+)'
const thenVerb = new RegExp(
  `(?<!;\\s*)(?:,\\s*|\\s+)(?:and\\s+)?(?:then|after\\s+that),?\\s+(?=${polite}*(?:${verbs})\\b)`,
  'i',
)
const andVerb = new RegExp(`(?:,\\s*|\\s+)and\\s+(?=${polite}*(?:${verbs})\\b)`, 'i')
const andCommand = /(?:,\s*|\s+)and\s+(?=(?:also\s+)?run\s+the\s+command\b)/i
const leadingMarks = /^(?:\s*(?:\[[^\]\n]*\]|<[^>\n]*>)\s*)+/
const leadingPolite = new RegExp(`^(?:(?:hi|hello|hey|ok|okay)[,!.]?\\s+)?${polite}*`, 'i')
const directCall =
  /^(?:use|call)\s+(?:the\s+)?(?:tool\s+)?(?<tool>[\w-]{1,64})\s+(?:with\s+)?(?<json>\{.*\})$/is

/**
 * Parses a message into batches of steps: `then` starts the next batch, `and` extends the current one. Never throws; text that no
 * rule matches is an `unknown` step.
 */
export function parseRequest(message: string): Step[][] {
  if (message.length > maxMessageCharacters) return [[unknown(message)]]
  const [words = '', files] = message.split(filesHeader)
  const text = words.replace(leadingMarks, '').trim()
  if (text === '' && files !== undefined) return [[filesStep(files)]]
  return splitOutsideQuotes(text, thenVerb).map((request) => parseBatch(request))
}

/** Files without a message: their folder is listed. */
function filesStep(list: string): Step {
  const [, path] = /^- (\w+)\//m.exec(list) ?? []
  if (path === undefined) return unknown(list.trim())
  return { kind: 'call', tool: 'list_directory', arguments: { path } }
}

function parseBatch(request: string): Step[] {
  const text = request.replace(leadingPolite, '').trim()
  const direct = parseDirectCall(text)
  if (direct !== undefined) return [direct]
  const whole = matchPhrase(text) ?? matchPhrase(withoutEnd(text))
  const parts = splitOutsideQuotes(text, whole?.free === true ? andCommand : andVerb)
  if (parts.length > 1) return parts.flatMap(parseBatch)
  return [whole?.step ?? unknown(text)]
}

/** `use TOOL {json}` can call any tool. */
function parseDirectCall(text: string): Step | undefined {
  const { tool, json } = directCall.exec(text)?.groups ?? {}
  if (tool === undefined || json === undefined) return undefined
  try {
    return { kind: 'call', tool, arguments: { ...Object(JSON.parse(json)) } }
  } catch {
    return undefined
  }
}

function splitOutsideQuotes(text: string, separator: RegExp): string[] {
  const parts: string[] = []
  let from = 0
  for (const match of text.matchAll(new RegExp(separator, `${separator.flags}g`))) {
    if (isQuoted(text.slice(from, match.index))) continue
    parts.push(text.slice(from, match.index))
    from = match.index + match[0].length
  }
  return [...parts, text.slice(from)].filter((part) => part.trim() !== '')
}

/** An apostrophe inside a word is not a quote. */
function isQuoted(before: string): boolean {
  const quotes = before.replaceAll(/(?<=\w)'(?=\w)/g, '')
  return ['"', "'", '`'].some((quote) => (quotes.split(quote).length - 1) % 2 === 1)
}

function withoutEnd(text: string): string {
  return text.replace(/(?:[\s.,!?]|\b(?:please|for me|thanks))+$/i, '')
}

function unknown(text: string): Step {
  return { kind: 'unknown', text }
}
