import { isRecord } from '../../../util/is-record.ts'

/** From here on a single one of the three makes a schema as complex as can be. */
const most = { required: 4, levels: 3, options: 12 } as const

/** What lies deeper in a schema makes it no more complex. */
const deepest = 32

/** What a schema asks of whoever fills it in. */
export interface SchemaShape {
  /** Fields that must be there, on all levels. */
  readonly required: number
  /** Objects and lists inside one another; 1: flat. */
  readonly levels: number
  /** The largest number of values to choose from. */
  readonly options: number
}

/**
 * SCH-01: how hard the arguments of a tool are to get right, 0 to 1, by the JSON Schema of its arguments:
 * `1 − (1 − required / 4) · (1 − (levels − 1) / 3) · (1 − options / 12)`, each fraction at most 1. So the default threshold of 0.6 is
 * reached by three required fields, by objects or lists two levels below the arguments, by eight values to choose from, and by two
 * required fields beside a nested object or three values. Of the built-in tools `edit` reaches it.
 */
export function complexityOf(schema: unknown): number {
  const { required, levels, options } = shapeOf(schema)
  const fractions = [required / most.required, (levels - 1) / most.levels, options / most.options]
  return 1 - fractions.reduce((left, part) => left * (1 - Math.min(1, Math.max(0, part))), 1)
}

/** References are not followed: what they lead to is not counted. */
export function shapeOf(schema: unknown, level = 1, depth = 1): SchemaShape {
  if (!isRecord(schema) || depth > deepest) return { required: 0, levels: level - 1, options: 0 }
  const isNested = level === 1 || isContainer(schema)
  const inner = isNested ? level + 1 : level
  const parts = partsOf(schema).map((part) => shapeOf(part, inner, depth + 1))
  const variants = variantsOf(schema)
  const alike = variants.map((variant) => shapeOf(variant, level, depth + 1))
  return {
    required: listOf(schema['required']).length + sum([...parts, ...alike]),
    levels: Math.max(
      isNested ? level : level - 1,
      ...[...parts, ...alike].map(({ levels }) => levels),
    ),
    options: Math.max(
      optionsOf(schema, variants),
      ...[...parts, ...alike].map(({ options }) => options),
    ),
  }
}

function isContainer(schema: Readonly<Record<string, unknown>>): boolean {
  return partsOf(schema).length > 0
}

/** Schemas of what it holds. */
function partsOf(schema: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { properties, items, prefixItems, additionalProperties } = schema
  const fields = isRecord(properties) ? Object.values(properties) : []
  return [...fields, items, ...listOf(prefixItems), additionalProperties].filter(isRecord)
}

function variantsOf({ anyOf, oneOf, allOf }: Readonly<Record<string, unknown>>) {
  return [...listOf(anyOf), ...listOf(oneOf), ...listOf(allOf)]
}

/** Values of an `enum`, or of a union of constants. */
function optionsOf(
  schema: Readonly<Record<string, unknown>>,
  variants: readonly unknown[],
): number {
  const constants = variants.filter((variant) => isRecord(variant) && 'const' in variant)
  return Math.max(listOf(schema['enum']).length, constants.length)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function sum(shapes: readonly SchemaShape[]): number {
  return shapes.reduce((total, { required }) => total + required, 0)
}
