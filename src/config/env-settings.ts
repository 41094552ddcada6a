import { z } from 'zod'
import type { Environment } from './env.ts'
import { nearest } from './explain-issue.ts'
import { keyKinds } from './key-types.ts'
import { externalVariableNames } from './outside-names.ts'
import type { ConfigProblem } from './problems.ts'
import { settingsSchema } from './schema/schema.ts'
import { type Key, keysOf, sectionOf, unwrap, variableOf } from './shape.ts'

/** A setting from one variable. */
export interface EnvironmentSetting {
  readonly path: readonly string[]
  readonly variable: string
  readonly value: unknown
}

interface EnvironmentSettings {
  readonly settings: readonly EnvironmentSetting[]
  readonly problems: readonly ConfigProblem[]
}

/** CONF-01: reads the settings in `COUNTERSIGN_*` variables; a variable that matches no key is a problem. */
export function readEnvironmentSettings(environment: Environment): EnvironmentSettings {
  const keys = new Map(keysOf(sectionOf(settingsSchema)).map((key) => [variableOf(key.path), key]))
  const settings: EnvironmentSetting[] = []
  const problems: ConfigProblem[] = []
  for (const variable of ourNames(environment)) {
    const key = keys.get(variable)
    const text = environment.get(variable) ?? ''
    const read = key ? readValue(key, text) : unknownName(variable, keys.keys())
    if (read.kind === 'problem') problems.push({ source: variable, message: read.message })
    else if (key) settings.push({ path: key.path, variable, value: read.value })
  }
  return { settings, problems }
}

type Read =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'problem'; readonly message: string }

function ourNames(environment: Environment): readonly string[] {
  const outside = new Set(externalVariableNames())
  return environment
    .names()
    .filter((name) => name.startsWith('COUNTERSIGN_') && !outside.has(name))
    .sort()
}

function unknownName(variable: string, known: Iterable<string>): Read {
  const bare = variable.replace('COUNTERSIGN_', '')
  const meant = externalVariableNames().includes(bare)
    ? bare
    : nearest(variable, [...known, ...externalVariableNames()])
  const hint = meant ? `; did you mean ${meant}?` : ''
  return { kind: 'problem', message: `there is no such variable${hint}` }
}

/** Variables are text; the key's type decides how it is parsed. */
function readValue({ type }: Key, text: string): Read {
  if (type instanceof z.ZodNumber || keyKinds.get(type)?.kind === 'number') return readNumber(text)
  if (type instanceof z.ZodBoolean) return readBoolean(text)
  if (type instanceof z.ZodRecord) return readJson(text, 'a table')
  if (type instanceof z.ZodArray) return readList(type.element as z.ZodType, text)
  return { kind: 'value', value: text }
}

function readNumber(text: string): Read {
  if (/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/iu.test(text))
    return { kind: 'value', value: Number(text) }
  const special = /^([+-]?)(?:inf|infinity)$/iu.exec(text)
  if (special) return { kind: 'value', value: Number(`${special[1]}Infinity`) }
  if (/^nan$/iu.test(text)) return { kind: 'value', value: Number.NaN }
  return { kind: 'problem', message: 'expected a number, found other text' }
}

function readBoolean(text: string): Read {
  if (text === 'true' || text === 'false') return { kind: 'value', value: text === 'true' }
  return { kind: 'problem', message: 'expected true or false, found other text' }
}

/** Comma-separated; JSON if entries hold commas or are tables. */
function readList(element: z.ZodType, text: string): Read {
  const { type } = unwrap(element)
  if (type instanceof z.ZodObject || /^\s*\[\s*"/u.test(text)) return readJson(text, 'a list')
  const entries = text.split(',').map((entry) => entry.trim())
  const values = entries.filter((entry) => entry !== '')
  if (!(type instanceof z.ZodNumber)) return { kind: 'value', value: values }
  const numbers = values.map(readNumber)
  const wrong = numbers.find((read) => read.kind === 'problem')
  return wrong ?? { kind: 'value', value: numbers.map((read) => 'value' in read && read.value) }
}

function readJson(text: string, expected: string): Read {
  try {
    return { kind: 'value', value: JSON.parse(text) }
  } catch {
    return { kind: 'problem', message: `expected ${expected} as JSON, found other text` }
  }
}
