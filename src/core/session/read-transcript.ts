import type { Db } from '../../db/schema.ts'
import type { Positions } from '../../db/turn/messages.ts'
import { findTranscriptRows, transcriptColumns } from '../../db/turn/transcript-rows.ts'
import type { ToolRequest, TranscriptMessage } from '../../domain/message.ts'
import { readAssistantMessage, readTexts } from '../stored.ts'

const mostTools = 8

const headUnits = 400

type Rows = Awaited<ReturnType<typeof findTranscriptRows>>

type StoredMessage = Rows['messages'][number]

type CallResult = Rows['results'][number]

interface TranscriptRows extends Rows {
  readonly summary: { readonly body: string; readonly authors: string } | null
}

/** Reads the session as the model sees it: every tool call is followed by its result, in call order (LOOP-06). */
export async function readTranscript(db: Db, sessionId: string): Promise<TranscriptMessage[]> {
  return toMessages(
    await db.selectNoFrom(transcriptColumns(db, sessionId)).executeTakeFirstOrThrow(),
  )
}

/** The same of rows that were read already. */
export function toMessages({ summary, ...rows }: TranscriptRows): TranscriptMessage[] {
  const shown = withoutLeftOut(toEntries(rows, toTranscript))
  if (summary === null) return shown
  return [{ role: 'summary', text: summary.body, authors: readTexts(summary.authors) }, ...shown]
}

/** Reads part of the transcript, including messages left out, shortened as the model sees them. */
export function readEntries(
  db: Db,
  sessionId: string,
  positions: Positions,
): Promise<TranscriptEntry[]> {
  return read(db, sessionId, positions, toTranscript)
}

/** Reads part of the transcript at full length, as the model first saw it. */
export function readWholeEntries(
  db: Db,
  sessionId: string,
  positions: Positions,
): Promise<TranscriptEntry[]> {
  return read(db, sessionId, positions, (message, results) =>
    toTranscript(
      { ...message, shortened: null },
      results.map((call) => ({ ...call, compacted: null, compacted_arguments: null })),
    ),
  )
}

async function read(
  db: Db,
  sessionId: string,
  positions: Positions,
  render: Render,
): Promise<TranscriptEntry[]> {
  return toEntries(await findTranscriptRows(db, sessionId, positions), render)
}

type Render = (message: StoredMessage, results: readonly CallResult[]) => TranscriptMessage[]

function toEntries(rows: Rows, render: Render): TranscriptEntry[] {
  const results = Map.groupBy(rows.results, (call) => call.message_id)
  return rows.messages.map((message) => ({
    id: message.id,
    turnId: message.turn_id ?? '',
    position: message.position ?? 0,
    isLeftOut: message.is_left_out,
    messages: render(message, results.get(message.id) ?? []),
  }))
}

/** Replaces consecutive steps left out by one line. */
function withoutLeftOut(entries: readonly TranscriptEntry[]): TranscriptMessage[] {
  const shown: TranscriptMessage[] = []
  for (const [index, { isLeftOut, messages }] of entries.entries()) {
    if (!isLeftOut) shown.push(...messages)
    else if (entries[index - 1]?.isLeftOut !== true) {
      const rest = entries.slice(index)
      const end = rest.findIndex((entry) => !entry.isLeftOut)
      shown.push(leftOutSteps(end === -1 ? rest : rest.slice(0, end)))
    }
  }
  return shown
}

function toTranscript(message: StoredMessage, results: readonly CallResult[]): TranscriptMessage[] {
  if (message.role === 'user') {
    const text = message.shortened ?? message.body
    return [{ role: 'user', author: message.author_name ?? message.author, text }]
  }
  return [
    withShorterCalls(readAssistantMessage(message.body), message.shortened, results),
    ...results.map(toResult),
  ]
}

/** MODEL-02: rewrites a text whose tool-call blocks have shortened arguments. */
function withShorterCalls(
  said: Extract<TranscriptMessage, { role: 'assistant' }>,
  shortened: string | null,
  results: readonly CallResult[],
): TranscriptMessage {
  const shorter = new Map(
    results.flatMap(({ model_call_id: id, compacted_arguments: args }) =>
      args === null ? [] : [[id, args] as const],
    ),
  )
  if (shorter.size === 0) return shortened === null ? said : { ...said, text: shortened }
  const calls = said.calls.map((call) => ({
    ...call,
    arguments: shorter.get(call.id) ?? call.arguments,
  }))
  const blocks = calls.filter(({ inText }) => inText === true).map(asBlock)
  const text = blocks.length === 0 ? said.text : [said.spoken ?? '', ...blocks].join('\n\n').trim()
  return { ...said, calls, text: shortened ?? text }
}

function asBlock({ tool, arguments: args }: ToolRequest): string {
  return `\`\`\`json\n{"tool": ${JSON.stringify(tool)}, "arguments": ${args}}\n\`\`\``
}

function toResult(call: CallResult): TranscriptMessage {
  return {
    role: 'tool',
    callId: call.model_call_id,
    tool: call.tool,
    text: `${changeOf(call)}${call.compacted ?? call.summary ?? call.result ?? '[no result: the turn was stopped before this call ended]'}`,
    isError: call.is_error ?? true,
  }
}

/** APPR-14: tells the model that its call was edited, with its own arguments. */
function changeOf(call: CallResult): string {
  if (call.edited_by === null) return ''
  const args = call.compacted_arguments ?? call.arguments
  return `[A person changed this call before approving it. Its arguments were: ${args}]\n`
}

/** A stored message as a model reads it, followed by the results of its calls. */
export interface TranscriptEntry {
  readonly id: string
  readonly turnId: string
  readonly position: number
  readonly isLeftOut: boolean
  readonly messages: readonly TranscriptMessage[]
}

/** LOOP-12: renders the line for consecutive steps left out; equal steps give equal bytes. */
function leftOutSteps(entries: readonly TranscriptEntry[]): TranscriptMessage {
  const calls = entries.flatMap(({ messages }) =>
    messages.flatMap((message) => (message.role === 'assistant' ? message.calls : [])),
  )
  const counts = [...Map.groupBy(calls, ({ tool }) => tool.slice(0, 64))]
  const named = counts.slice(0, mostTools).map(([tool, of]) => `${of.length} × ${tool}`)
  const more = counts.length > mostTools ? ', and others' : ''
  const steps = `${entries.length} ${entries.length === 1 ? 'step' : 'steps'} with tools`
  const text = `[${steps} (${named.join(', ')}${more}) were left out here to make room; read_overflow gives them back: overflow:${entries[0]?.id ?? ''}]`
  return { role: 'summary', text, authors: [] }
}

/** LOOP-12: renders the start of a long message and how to read the rest. */
export function shortenedMessage(text: string, id: string): string {
  const head = text.slice(0, headUnits).toWellFormed()
  return `${head}\n[of this message ${text.length - headUnits} characters more were left out to make room; read_overflow gives all of it: overflow:${id}]`
}
