import { z } from 'zod'
import { keyKinds } from './key-types.ts'

/** A path into the configuration: keys and list indexes. */
export type Path = readonly (string | number)[]

/** A schema without wrappers: its default as people write it, and whether it is optional. */
interface Unwrapped {
  readonly type: z.ZodType
  readonly fallback?: unknown
  readonly mayBeAbsent: boolean
}

/** A key that can be set, with its path in the file and its environment variable. */
export interface Key extends Unwrapped {
  readonly path: readonly string[]
  readonly description: string
}

/** A section's own keys and its subsections. */
export interface Section {
  readonly path: readonly string[]
  readonly description: string
  readonly keys: readonly Key[]
  readonly sections: readonly Section[]
}

export function unwrap(schema: z.ZodType): Unwrapped {
  let found: Unwrapped = { type: schema, mayBeAbsent: false }
  for (;;) {
    const { type } = found
    if (keyKinds.get(type)) return found
    if (type instanceof z.ZodDefault || type instanceof z.ZodPrefault) {
      const fallback = type.def.defaultValue
      found = { type: type.unwrap() as z.ZodType, fallback, mayBeAbsent: true }
    } else if (type instanceof z.ZodOptional) {
      found = { ...found, type: type.unwrap() as z.ZodType, mayBeAbsent: true }
    } else return found
  }
}

/** Lists everything that an object schema describes; tables with free names and lists of tables count as keys. */
export function sectionOf(schema: z.ZodType, path: readonly string[] = []): Section {
  const { type } = unwrap(schema)
  const entries = type instanceof z.ZodObject ? Object.entries(type.shape) : []
  const children = entries.map(([name, child]) => ({
    path: [...path, name],
    schema: child as z.ZodType,
  }))
  const isSection = (child: { schema: z.ZodType }) =>
    unwrap(child.schema).type instanceof z.ZodObject
  return {
    path,
    description: schema.description ?? '',
    keys: children.filter((child) => !isSection(child)).map((child) => toKey(child)),
    sections: children.filter(isSection).map((child) => sectionOf(child.schema, child.path)),
  }
}

/** All keys of a section and its subsections. */
export function keysOf(section: Section): readonly Key[] {
  return [...section.keys, ...section.sections.flatMap(keysOf)]
}

/** The environment variable for a key. */
export function variableOf(path: readonly string[]): string {
  return `COUNTERSIGN_${path.join('_').toUpperCase()}`
}

/** The schema at a path; undefined if the schema has no such path. */
export function schemaAt(schema: z.ZodType, path: Path): z.ZodType | undefined {
  return path.reduce<z.ZodType | undefined>((at, step) => at && childOf(at, step), schema)
}

/** The names that a table may hold; empty for tables with free names and for other types. */
export function namesIn(schema: z.ZodType): readonly string[] {
  const { type } = unwrap(schema)
  return type instanceof z.ZodObject ? Object.keys(type.shape) : []
}

/** The expected value in words: `a whole number from 1 to 100`. */
export function expectedText(schema: z.ZodType): string {
  const { type } = unwrap(schema)
  const known = keyKinds.get(type)?.expected
  if (known) return known
  if (type instanceof z.ZodNumber) return numberText(type)
  if (type instanceof z.ZodBoolean) return 'true or false'
  if (type instanceof z.ZodEnum) return `one of ${type.options.join(', ')}`
  if (type instanceof z.ZodArray) return `a list, each ${expectedText(type.element as z.ZodType)}`
  return type instanceof z.ZodString ? 'text' : 'a table'
}

function toKey(child: { path: readonly string[]; schema: z.ZodType }): Key {
  const description = child.schema.description ?? ''
  return { ...unwrap(child.schema), path: child.path, description }
}

function childOf(schema: z.ZodType, step: string | number): z.ZodType | undefined {
  const { type } = unwrap(schema)
  if (type instanceof z.ZodObject) {
    return Object.hasOwn(type.shape, step) ? (type.shape[step] as z.ZodType) : undefined
  }
  if (type instanceof z.ZodRecord) return type.valueType as z.ZodType
  return type instanceof z.ZodArray ? (type.element as z.ZodType) : undefined
}

function numberText(type: z.ZodNumber): string {
  const name = type.isInt ? 'a whole number' : 'a number'
  const { minValue, maxValue } = type
  if (maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER) {
    return minValue === null ? name : `${name}, at least ${minValue}`
  }
  return `${name} from ${minValue} to ${maxValue}`
}
