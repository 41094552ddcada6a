import path from 'node:path'
import { z } from 'zod'
import { keyKinds, type Milliseconds } from './key-types.ts'
import type { Settings } from './schema/schema.ts'
import { type Path, schemaAt, unwrap } from './shape.ts'

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S

type WithoutUnit<S extends string> = S extends `${infer Head}_secs` ? Head : S

type LoadedName<Name, Value> = Name extends string
  ? NonNullable<Value> extends Milliseconds
    ? `${Camel<WithoutUnit<Name>>}Ms`
    : Camel<Name>
  : Name

/** A configuration as code reads it: camel-case names, durations in milliseconds as `…Ms`. */
export type Loaded<T> = T extends Milliseconds
  ? number
  : T extends readonly (infer Item)[]
    ? readonly Loaded<Item>[]
    : T extends object
      ? { readonly [Name in keyof T as LoadedName<Name, T[Name]>]: Loaded<T[Name]> }
      : T

/** The bases of relative paths. */
interface PathBases {
  readonly home: string | undefined
  /** The directory that a relative path of this key starts at. */
  readonly baseOf: (key: Path) => string
}

/** Converts checked settings to the names and paths that code uses. Free names (tools, models, servers) stay as written. */
export function toLoaded(
  settings: Settings,
  schema: z.ZodType,
  bases: PathBases,
): Loaded<Settings> {
  return loaded(settings, schema, [], bases) as Loaded<Settings>
}

function loaded(value: unknown, schema: z.ZodType, at: Path, bases: PathBases): unknown {
  const { type } = unwrap(schema)
  if (typeof value === 'string') return loadedText(value, type, at, bases)
  if (typeof value !== 'object' || value === null) return value
  const child = (inner: unknown, step: string | number) => {
    const found = schemaAt(type, [step])
    return found ? loaded(inner, found, [...at, step], bases) : inner
  }
  if (Array.isArray(value)) return value.map(child)
  const entries = Object.entries(value).map(([name, inner]) => [
    type instanceof z.ZodObject ? loadedName(name, schemaAt(type, [name])) : name,
    child(inner, name),
  ])
  return Object.fromEntries(entries)
}

function loadedText(value: string, type: z.ZodType, at: Path, bases: PathBases): string {
  const kind = keyKinds.get(type)?.kind
  if (kind === 'place') return path.normalize(expandHome(value, bases.home))
  if (kind !== 'host_path' || value === '') return value
  return resolvePath(value, bases.baseOf(at), bases.home)
}

function loadedName(name: string, schema: z.ZodType | undefined): string {
  const camel = (snake: string) =>
    snake.replaceAll(/_(.)/gu, (_all, letter: string) => letter.toUpperCase())
  const isDuration = schema && keyKinds.get(unwrap(schema).type)?.kind === 'duration'
  return isDuration ? `${camel(name.replace(/_secs$/u, ''))}Ms` : camel(name)
}

/** Makes a path absolute; `~` and `~/…` mean the home directory, relative paths start at `base`. */
export function resolvePath(text: string, base: string, home: string | undefined): string {
  return path.resolve(base, expandHome(text, home))
}

/** Replaces a leading `~` if a home directory is known. */
function expandHome(text: string, home: string | undefined): string {
  return home === undefined ? text : text.replace(/^~(?=\/|$)/u, () => home)
}
