import type { TranscriptMessage } from '../../domain/message.ts'
import type { TranscriptEntry } from './transcript-entry.ts'

const mostTools = 8

/** LOOP-12: the line for steps in a row that were left out; equal steps give equal bytes. */
export function leftOutSteps(entries: readonly TranscriptEntry[]): TranscriptMessage {
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

const headUnits = 400

/** LOOP-12: the beginning of a long message, and how the rest is read. */
export function shortenedMessage(text: string, id: string): string {
  const head = text.slice(0, headUnits).toWellFormed()
  return `${head}\n[of this message ${text.length - headUnits} characters more were left out to make room; read_overflow gives all of it: overflow:${id}]`
}
