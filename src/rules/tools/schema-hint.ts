import { shorten } from '../../util/text/shorten.ts'
import { toolJsonSchema } from './json-schema.ts'
import type { ToolSpec } from './tool-spec.ts'

const longest = 4_000

/** ERR-04: a tool's JSON Schema in one line of at most 4,000 characters; of a large one first the descriptions are left out. */
export function schemaHint(spec: ToolSpec): string {
  const whole = JSON.stringify(toolJsonSchema(spec))
  const text = whole.length <= longest ? whole : JSON.stringify(bare(toolJsonSchema(spec)))
  return shorten(`schema: ${text}`, longest)
}

/** Without what only explains; a field may be called `description` too, and is none then. */
function bare(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(bare)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => key !== 'description' || typeof value !== 'string')
      .map(([key, value]) => [key, bare(value)]),
  )
}
