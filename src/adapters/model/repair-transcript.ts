import type { ToolRequest, TranscriptMessage } from '../../domain/message.ts'
import { formatToolError } from '../../domain/tool/tool-error.ts'

/** A tool call with its result; providers require both (LOOP-06). */
export interface AnsweredCall extends ToolRequest {
  /** Unique in the whole transcript, as providers require; their own ids are not always unique. */
  readonly wireId: string
  readonly result: { readonly text: string; readonly isError: boolean }
}

export type Exchange =
  | { readonly kind: 'user'; readonly text: string }
  | {
      readonly kind: 'assistant'
      readonly text: string
      readonly calls: readonly AnsweredCall[]
      readonly raw: unknown
    }

type ToolMessage = Extract<TranscriptMessage, { role: 'tool' }>
type UserMessage = Extract<TranscriptMessage, { role: 'user' }>
type AssistantMessage = Extract<TranscriptMessage, { role: 'assistant' }>

const missingResult = {
  text: formatToolError({
    category: 'permanent_failure',
    message: 'no result of this call was recorded; whether it ran is not known',
  }),
  isError: true,
}

/**
 * LOOP-06: repairs any transcript into one that every provider accepts: it starts and ends with a user message, consecutive user
 * messages are joined, empty ones dropped, and each call is followed by its result (an error if none was recorded). Earlier
 * output does not change as the transcript grows.
 */
export function repairTranscript(messages: readonly TranscriptMessage[]): Exchange[] {
  const exchanges: Exchange[] = []
  const wireIds = new Set<string>()
  const authored = hasSeveralAuthors(messages)
  for (const [index, message] of messages.entries()) {
    if (message.role === 'user') addUser(exchanges, userText(message, authored))
    if (message.role === 'summary') addUser(exchanges, withoutAuthors(message.text))
    if (message.role === 'assistant')
      addAssistant(exchanges, message, resultsAfter(messages, index), wireIds)
  }
  if (exchanges[0]?.kind !== 'user') exchanges.unshift({ kind: 'user', text: '(no message)' })
  if (endsWithoutQuestion(exchanges)) exchanges.push({ kind: 'user', text: '(continue)' })
  return exchanges
}

function addUser(exchanges: Exchange[], text: string): void {
  const last = exchanges.at(-1)
  if (last?.kind === 'user')
    exchanges.splice(-1, 1, { kind: 'user', text: `${last.text}\n\n${text}` })
  else exchanges.push({ kind: 'user', text })
}

function addAssistant(
  exchanges: Exchange[],
  message: AssistantMessage,
  results: ToolMessage[],
  wireIds: Set<string>,
): void {
  if (message.text.trim() === '' && message.calls.length === 0) return
  const calls = message.calls.map((call) => ({
    ...call,
    wireId: nextWireId(call.id, wireIds),
    result: takeResult(call.id, results),
  }))
  exchanges.push({ kind: 'assistant', text: message.text, calls, raw: message.raw })
}

/** Results stand between their assistant message and the next one; user messages may stand among them. */
function resultsAfter(messages: readonly TranscriptMessage[], index: number): ToolMessage[] {
  const rest = messages.slice(index + 1)
  const next = rest.findIndex((message) => message.role === 'assistant')
  return rest.slice(0, next === -1 ? undefined : next).filter((message) => message.role === 'tool')
}

function takeResult(callId: string, results: ToolMessage[]): AnsweredCall['result'] {
  const at = results.findIndex((result) => result.callId === callId)
  const [found] = at === -1 ? [] : results.splice(at, 1)
  if (found === undefined) return missingResult
  return { text: found.text.trim() === '' ? '(no output)' : found.text, isError: found.isError }
}

function nextWireId(id: string, taken: Set<string>): string {
  const clean = id.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 56) || 'call'
  let wireId = clean
  for (let number = 2; taken.has(wireId); number++) wireId = `${clean}-${number}`
  taken.add(wireId)
  return wireId
}

/** Threat 6: in a group the model must know the author of each message; a conversation with one person needs no names. */
function userText(message: UserMessage, authored: boolean): string {
  const text = message.text.trim() === '' ? '(empty message)' : message.text
  if (!authored) return text
  const name = message.author.replaceAll(/[[\]\s]+/g, ' ').trim()
  return `[from: ${name}]\n${withoutAuthors(text)}`
}

/** Neutralises author marks in the text: only the product may set them. */
function withoutAuthors(text: string): string {
  return text.replaceAll(/^\[from:/gim, '[quoted from:')
}

function hasSeveralAuthors(messages: readonly TranscriptMessage[]): boolean {
  return new Set(messages.flatMap(authorsOf)).size > 1
}

function authorsOf(message: TranscriptMessage): readonly string[] {
  if (message.role === 'user') return [message.author]
  return message.role === 'summary' ? message.authors : []
}

function endsWithoutQuestion(exchanges: readonly Exchange[]): boolean {
  const last = exchanges.at(-1)
  return last?.kind === 'assistant' && last.calls.length === 0
}
