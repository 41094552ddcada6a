import { isRecord } from '../../../util/guards.ts'
import { shorten } from '../../../util/text/shorten.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'
import { toolJsonSchema } from '../json-schema.ts'
import type { ToolSpec } from '../tool-spec.ts'
import { complexityOf } from './tool-choice.ts'
import { countWords, type WordCounts } from './word-index.ts'

/** SCH-01: the field for a model's reasoning before the arguments of a complex tool. */
const thinkingField = 'thinking'

const longest = 2_000

const counted = new WeakMap<ToolSpec, WordCounts>()

type Schema = Readonly<Record<string, unknown>>

const field = {
  type: 'string',
  description:
    'Think first, step by step: what is asked for, and which value each argument must have. Nobody reads it.',
}

const augmented = new WeakMap<ToolSpec, Schema>()

/** A tool in the form shown to a model. */
export function shownTool(spec: ToolSpec, thinkingFrom: number | undefined) {
  const { name, description, block } = spec
  const schema = shownSchema(spec, thinkingFrom)
  return { name, description, schema, ...(block !== undefined && { block }) }
}

/** The JSON Schema shown to a model; the same object each time. */
export function shownSchema(spec: ToolSpec, thinkingFrom: number | undefined): Schema {
  if (!thinksFirst(spec, thinkingFrom)) return toolJsonSchema(spec)
  const known = augmented.get(spec)
  if (known !== undefined) return known
  const schema = withThinking(toolJsonSchema(spec))
  augmented.set(spec, schema)
  return schema
}

/** SCH-01: whether a tool is complex enough for a `thinking` field and has none of its own. undefined: the feature is off. */
export function thinksFirst(spec: ToolSpec, thinkingFrom: number | undefined): boolean {
  // A schema of somebody else takes no field of ours.
  if (thinkingFrom === undefined || spec.shownSchema !== undefined) return false
  const schema = toolJsonSchema(spec)
  const { properties } = schema
  const isTaken = isRecord(properties) && Object.hasOwn(properties, thinkingField)
  return !isTaken && complexityOf(schema) >= thinkingFrom
}

/** Placed first, so that a model that follows the schema's order writes it before the arguments. */
function withThinking(schema: Schema): Schema {
  const { properties } = schema
  const own = isRecord(properties) ? properties : {}
  return Object.freeze({ ...schema, properties: { [thinkingField]: field, ...own } })
}

/**
 * SCH-01: removes the model's reasoning from a call's argument text and keeps the rest as written. Text that is not a JSON object
 * stays as it is: it is refused later.
 */
export function withoutThinking(text: string): string {
  const value = tryParseJson(text)
  if (!isRecord(value) || !Object.hasOwn(value, thinkingField)) return text
  const kept = membersOf(text).filter(({ key }) => key !== thinkingField)
  return `{${kept.map(({ written }) => written).join(',')}}`
}

interface Member {
  readonly key: string
  /** Name and value as written. */
  readonly written: string
}

/** The members of an object; the text must be a valid JSON object. */
function membersOf(text: string): readonly Member[] {
  const members: Member[] = []
  let start = text.indexOf('{') + 1
  for (let depth = 1, at = start; depth > 0; at++) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    if (depth === 0 || (depth === 1 && character === ',')) {
      members.push(toMember(text.slice(start, at).trim()))
      start = at + 1
    }
  }
  return members
}

function toMember(written: string): Member {
  return { key: JSON.parse(written.slice(0, endOfString(written, 0) + 1)), written }
}

/** The index of the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

/** The text that represents a tool in comparisons: name, description and arguments; at most 2,000 characters. */
export function toolText(spec: ToolSpec): string {
  const { properties } = toolJsonSchema(spec)
  const fields = isRecord(properties) ? Object.entries(properties).map(fieldText) : []
  return shorten([`${spec.name}: ${spec.description}`, ...fields].join('\n'), longest)
}

function fieldText([name, schema]: readonly [string, unknown]): string {
  const description = isRecord(schema) ? schema['description'] : undefined
  return typeof description === 'string' ? `${name}: ${description}` : name
}

/** A tool's word counts, cached. */
export function toolWords(spec: ToolSpec): WordCounts {
  const known = counted.get(spec)
  if (known !== undefined) return known
  const words = countWords(toolText(spec))
  counted.set(spec, words)
  return words
}
