import { isRecord } from '../../../util/is-record.ts'
import { shorten } from '../../../util/text/shorten.ts'
import { toolJsonSchema } from '../json-schema.ts'
import type { ToolSpec } from '../tool-spec.ts'
import { countWords, type WordCounts } from './word-index.ts'

const longest = 2_000

/** What a tool is compared by: its name, what it does, and what it takes; at most 2,000 characters. */
export function toolText(spec: ToolSpec): string {
  const { properties } = toolJsonSchema(spec)
  const fields = isRecord(properties) ? Object.entries(properties).map(fieldText) : []
  return shorten([`${spec.name}: ${spec.description}`, ...fields].join('\n'), longest)
}

function fieldText([name, schema]: readonly [string, unknown]): string {
  const description = isRecord(schema) ? schema['description'] : undefined
  return typeof description === 'string' ? `${name}: ${description}` : name
}

const counted = new WeakMap<ToolSpec, WordCounts>()

/** Its words, counted once. */
export function toolWords(spec: ToolSpec): WordCounts {
  const known = counted.get(spec)
  if (known !== undefined) return known
  const words = countWords(toolText(spec))
  counted.set(spec, words)
  return words
}
