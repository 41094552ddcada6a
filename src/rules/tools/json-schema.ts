import { z } from 'zod'
import type { ToolSpec } from './tool-spec.ts'

const cache = new WeakMap<ToolSpec, Readonly<Record<string, unknown>>>()

/** REG-01: the JSON Schema for the model, derived from the tool's own schema. Frozen, the same object each time. */
export function toolJsonSchema(spec: ToolSpec): Readonly<Record<string, unknown>> {
  const known = spec.shownSchema ?? cache.get(spec)
  if (known !== undefined) return known
  const { $schema: _dialect, ...schema } = z.toJSONSchema(spec.schema, { io: 'input' })
  const frozen = Object.freeze(schema)
  cache.set(spec, frozen)
  return frozen
}
