import type { Db } from '../../db/schema.ts'
import type { Positions } from '../../db/turn/messages.ts'
import { findTranscriptRows, transcriptColumns } from '../../db/turn/transcript-rows.ts'
import type { ToolRequest, TranscriptMessage } from '../../domain/message.ts'
import { readSaid, readTexts } from '../stored.ts'
import { leftOutSteps } from './left-out-words.ts'
import type { TranscriptEntry } from './transcript-entry.ts'

type Rows = Awaited<ReturnType<typeof findTranscriptRows>>
type StoredMessage = Rows['messages'][number]
type CallResult = Rows['results'][number]

interface TranscriptRows extends Rows {
  readonly summary: { readonly body: string; readonly authors: string } | null
}

/** The session as a model reads it: every tool call is followed by its result, in the order of the calls (LOOP-06). */
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

/** The messages of a part of the transcript, also those that are left out, shortened as the model reads them. */
export function readEntries(
  db: Db,
  sessionId: string,
  positions: Positions,
): Promise<TranscriptEntry[]> {
  return read(db, sessionId, positions, toTranscript)
}

/** The same at full length, as it was when the model first read it. */
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

/** One line stands for steps in a row that are left out. */
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
    withShorterCalls(readSaid(message.body), message.shortened, results),
    ...results.map(toResult),
  ]
}

/** MODEL-02: the arguments of calls in a text stand in the text, which is written anew where they were shortened. */
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

/** APPR-14: the model is told that what it asked for was changed, and what became of it. */
function changeOf(call: CallResult): string {
  if (call.edited_by === null) return ''
  const args = call.compacted_arguments ?? call.arguments
  return `[A person changed this call before approving it. Its arguments were: ${args}]\n`
}
