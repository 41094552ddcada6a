import type { z } from 'zod'
import { nearest } from './nearest.ts'
import { settingsSchema } from './schema/schema.ts'
import { secretHint } from './secret-hint.ts'
import { expectedText, namesIn, type Path, schemaAt } from './shape.ts'

/** What one issue of the schema says to a person: where, and what was expected. */
export interface Fault {
  readonly path: Path
  readonly message: string
}

/** `tree` is what was checked. Text is not repeated (it may be a secret in the wrong place), save for patterns. */
export function explainIssue(issue: z.core.$ZodIssue, tree: unknown): readonly Fault[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(path, key) }))
  }
  return [{ path, message: explain(issue, path, valueAt(tree, path)) }]
}

/** A path as people write it: `tools.permissions.bash[0].action`. */
export function pathText(path: Path): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`
      const name = /^[\w*-]{1,80}$/u.test(step) ? step : JSON.stringify(step.slice(0, 80))
      return index === 0 ? name : `.${name}`
    })
    .join('')
}

function unknownKey(path: Path, key: string): string {
  const secret = secretHint(path, key)
  if (secret) return secret
  const meant = nearest(key, namesIn(schemaAt(settingsSchema, path) ?? settingsSchema))
  return `there is no such key${meant ? `; did you mean "${meant}"?` : ''}`
}

function explain(issue: z.core.$ZodIssue, path: Path, value: unknown): string {
  const schema = schemaAt(settingsSchema, path) ?? settingsSchema
  // zod's own words for a failed check of ours that says nothing itself.
  if (issue.code === 'custom' && issue.message !== 'Invalid input') return issue.message
  if (issue.code === 'invalid_key') return 'is not a name that this table takes'
  if (issue.code === 'too_big' && Array.isArray(value)) {
    return `expected at most ${issue.maximum} entries, found ${value.length}`
  }
  const expected = expectedText(schema)
  if (value === undefined) return `is missing: expected ${expected}`
  const isWord = issue.code === 'invalid_value' && typeof value === 'string'
  const meant = isWord && nearest(value, issue.values.map(String))
  return `expected ${expected}, found ${describe(value)}${meant ? `; did you mean "${meant}"?` : ''}`
}

function valueAt(tree: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, step)
        ? Reflect.get(at, step)
        : undefined,
    tree,
  )
}

function describe(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === '') return 'empty text'
  if (typeof value === 'string') return 'other text'
  if (value instanceof Date) return 'a date'
  return Array.isArray(value) ? 'a list' : 'a table'
}
