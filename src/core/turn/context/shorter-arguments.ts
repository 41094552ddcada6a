import { isRecord } from '../../../util/is-record.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'

const longestValue = 200
const longestWhole = 1_000

/**
 * LOOP-12: arguments of a call, JSON as the model wrote it, with a line in the place of each long text, and how all of them are
 * read back. What is no object, or stays long, is left out as a whole. Answers a JSON object.
 */
export function shorterArguments(text: string, reference: string): string {
  const value = tryParseJson(text)
  const all = `read_overflow gives the arguments back: overflow:${reference}`
  if (isRecord(value)) {
    const shorter = JSON.stringify({ ...shorten(value), left_out: all })
    if (shorter.length <= longestWhole) return shorter
  }
  return JSON.stringify({
    left_out: `${text.length} characters were left out to make room; ${all}`,
  })
}

function shorten(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]))
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.length <= longestValue ? value : `[${value.length} characters were left out]`
  }
  if (Array.isArray(value)) return value.map(shortened)
  return isRecord(value) ? shorten(value) : value
}
