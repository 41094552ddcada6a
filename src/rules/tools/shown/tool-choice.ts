import { assertNever, isRecord } from '../../../util/guards.ts'

/** Values from which one factor alone gives the maximum complexity. */
const most = { required: 4, levels: 3, options: 12 } as const

/** Deeper parts of a schema are not counted. */
const deepest = 32

/** SCH-02: whether a tool is shown to the model in a turn, and why. */
export interface ToolChoice {
  readonly tool: string
  readonly isShown: boolean
  readonly why: ChoiceReason
  /** Present if the tool was compared. */
  readonly score?: ToolScore
}

export type ChoiceReason =
  /** The set is small, so all tools are shown. */
  | 'few'
  | 'always on'
  | 'named'
  | 'short description'
  /** Already called in the session. */
  | 'used'
  | 'similar'
  /** Score below the threshold. */
  | 'dissimilar'
  /** Other tools score higher. */
  | 'outranked'
  /** No embeddings to compare with; `tool_search` finds it. */
  | 'not compared'

/** Similarity of a tool to a message; each 0 to 1. */
export interface ToolScore {
  /** From embeddings. */
  readonly similarity: number
  /** From words (BM25). */
  readonly words: number
  /** For satisfied preferences (SCH-03). */
  readonly boost: number
  readonly total: number
}

/** The reason, for people. */
export function describeReason(why: ChoiceReason): string {
  switch (why) {
    case 'few':
      return 'there are few enough to show all'
    case 'always on':
      return 'always shown'
    case 'named':
      return 'the message names it'
    case 'short description':
      return 'its description is too short to compare'
    case 'used':
      return 'this session has used it'
    case 'similar':
      return 'near to the message'
    case 'dissimilar':
      return 'too far from the message'
    case 'outranked':
      return 'others are nearer to the message'
    case 'not compared':
      return 'there are no embeddings to compare by; tool_search finds it'
    default:
      return assertNever(why)
  }
}

/** The measures that make up a schema's complexity. */
interface SchemaShape {
  /** Number of required fields on all levels. */
  readonly required: number
  /** Nesting depth of objects and lists; 1: flat. */
  readonly levels: number
  /** The largest number of values to choose from. */
  readonly options: number
}

/**
 * SCH-01: rates how hard a tool's arguments are to get right, 0 to 1, from their JSON Schema: `1 − (1 − required / 4) · (1 −
 * (levels − 1) / 3) · (1 − options / 12)`, each fraction at most 1. The default threshold of 0.6 is reached by three required
 * fields, by two levels of nesting below the arguments, by eight values to choose from, or by two required fields with a nested
 * object or three values. Of the built-in tools only `edit` reaches it.
 */
export function complexityOf(schema: unknown): number {
  const { required, levels, options } = shapeOf(schema)
  const fractions = [required / most.required, (levels - 1) / most.levels, options / most.options]
  return 1 - fractions.reduce((left, part) => left * (1 - Math.min(1, Math.max(0, part))), 1)
}

/** References are not followed, so their targets are not counted. */
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

/** The subschemas. */
function partsOf(schema: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { properties, items, prefixItems, additionalProperties } = schema
  const fields = isRecord(properties) ? Object.values(properties) : []
  return [...fields, items, ...listOf(prefixItems), additionalProperties].filter(isRecord)
}

function variantsOf({ anyOf, oneOf, allOf }: Readonly<Record<string, unknown>>) {
  return [...listOf(anyOf), ...listOf(oneOf), ...listOf(allOf)]
}

/** Number of values of an `enum`, or of a union of constants. */
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
