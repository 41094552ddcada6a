import type { TranscriptMessage } from '../../../domain/message.ts'
import { keepEnds } from '../../../rules/output/keep-ends.ts'
import type { TranscriptEntry } from '../../session/read-transcript.ts'

/** Maximum of each part, in UTF-16 units. */
interface Lengths {
  readonly text: number
  readonly arguments: number
  readonly result: number
}

const whole: Lengths = { text: Infinity, arguments: Infinity, result: Infinity }
const forSummary: Lengths = { text: 4_000, arguments: 300, result: 800 }

/** LOOP-12: renders a part of the transcript in full, for a model that reads it back. */
export function drawTranscript(entries: readonly TranscriptEntry[]): string {
  return draw(entries, whole)
}

/** Renders it for a model that summarises it: long parts keep their ends, at most `mostUnits` in all. */
export function drawSummaryText(entries: readonly TranscriptEntry[], mostUnits: number): string {
  return ends(draw(entries, forSummary), mostUnits)
}

function draw(entries: readonly TranscriptEntry[], lengths: Lengths): string {
  return entries
    .flatMap(({ messages }) => messages.map((message) => drawMessage(message, lengths)))
    .join('\n\n')
}

function drawMessage(message: TranscriptMessage, lengths: Lengths): string {
  switch (message.role) {
    case 'user':
      return `[${message.author.replaceAll(/[[\]\s]+/g, ' ').trim()} wrote]\n${ends(message.text, lengths.text)}`
    case 'assistant':
      return [
        ...(message.text.trim() === ''
          ? []
          : [`[you answered]\n${ends(message.text, lengths.text)}`]),
        ...message.calls.map(
          (call) =>
            `[you called ${call.tool.slice(0, 64)}]\n${ends(call.arguments, lengths.arguments)}`,
        ),
      ].join('\n')
    case 'tool':
      return `[${message.tool.slice(0, 64)} ${message.isError ? 'failed' : 'gave'}]\n${ends(message.text, lengths.result)}`
    case 'summary':
      return message.text
  }
}

function ends(text: string, most: number): string {
  if (text.length <= most) return text
  const { head, tail, left } = keepEnds(text, most)
  return `${head}\n[… ${left} characters …]\n${tail}`
}
