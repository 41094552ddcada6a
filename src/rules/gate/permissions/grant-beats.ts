import { z } from 'zod'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'

const opening = ' over ['
const stored = z.array(z.string())

/** The questions that a grant overrides, as written in its comment and the trace: JSON in one line of plain characters. */
export function formatBeats(beats: readonly string[]): string {
  const json = JSON.stringify(beats).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped)
  return ` over ${json}`
}

/** Parses these questions at the end of a text. Without them `beats` is undefined; a damaged list names no question. */
export function splitBeats(text: string): {
  readonly text: string
  readonly beats: readonly string[] | undefined
} {
  const at = text.indexOf(opening)
  if (at === -1) return { text, beats: undefined }
  const read = stored.safeParse(tryParseJson(text.slice(at + opening.length - 1)))
  return { text: text.slice(0, at), beats: read.success ? read.data : [] }
}

function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('')
}
