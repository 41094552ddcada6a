import { isRecord } from '../../../util/is-record.ts'
import { toolJsonSchema } from '../json-schema.ts'
import type { ToolSpec } from '../tool-spec.ts'
import { complexityOf } from './complexity.ts'
import { thinkingField } from './without-thinking.ts'

type Schema = Readonly<Record<string, unknown>>

const field = {
  type: 'string',
  description:
    'Think first, step by step: what is asked for, and which value each argument must have. Nobody reads it.',
}

const augmented = new WeakMap<ToolSpec, Schema>()

/** A tool as a model is shown it. */
export function shownTool(spec: ToolSpec, thinkingFrom: number | undefined) {
  const { name, description, block } = spec
  const schema = shownSchema(spec, thinkingFrom)
  return { name, description, schema, ...(block !== undefined && { block }) }
}

/** The JSON Schema that a model is shown; the same object each time. */
export function shownSchema(spec: ToolSpec, thinkingFrom: number | undefined): Schema {
  if (!thinksFirst(spec, thinkingFrom)) return toolJsonSchema(spec)
  const known = augmented.get(spec)
  if (known !== undefined) return known
  const schema = withThinking(toolJsonSchema(spec))
  augmented.set(spec, schema)
  return schema
}

/** SCH-01: whether a tool is complex enough for a `thinking` field, and has none of its own. undefined: switched off. */
export function thinksFirst(spec: ToolSpec, thinkingFrom: number | undefined): boolean {
  if (thinkingFrom === undefined) return false
  const schema = toolJsonSchema(spec)
  const { properties } = schema
  const isTaken = isRecord(properties) && Object.hasOwn(properties, thinkingField)
  return !isTaken && complexityOf(schema) >= thinkingFrom
}

/** First, so that a model that writes arguments in the schema's order writes it before them. */
function withThinking(schema: Schema): Schema {
  const { properties } = schema
  const own = isRecord(properties) ? properties : {}
  return Object.freeze({ ...schema, properties: { [thinkingField]: field, ...own } })
}
