import { distance as levenshtein } from 'fastest-levenshtein'
import type { z } from 'zod'
import type { ToolError } from '../../domain/tool/tool-error.ts'
import { shorten } from '../../util/text/shorten.ts'
import { argumentTextProblem } from './argument-text-problem.ts'
import { toolJsonSchema } from './json-schema.ts'
import type { ToolSpec } from './tool-spec.ts'

const longest = 4_000

/** Arguments that match the schema, with defaults filled in, or the problem with them. */
type ParsedArguments =
  | { readonly kind: 'ok'; readonly args: Record<string, unknown> }
  | { readonly kind: 'error'; readonly error: ToolError }

/** The part of a tool that is needed to check arguments. */
type Checked = Pick<ToolSpec, 'name' | 'schema' | 'ruledBy'>

const prototypeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

const maxFaults = 10

/**
 * REG-05: parses a model's argument text for one tool. Malformed JSON, missing and unknown fields, values out of range and
 * prototype keys are `invalid_parameters`, wrong types alone `type_mismatch`; the message names each invalid field and never its
 * value. An empty text means `{}`. MCP-03: for a tool that is ruled by its arguments, so is text that programs may read in
 * different ways; what is sent must be written anew from the parsed arguments.
 */
export function parseArguments(spec: Checked, jsonText: string): ParsedArguments {
  const json = parseJson(jsonText.trim() === '' ? '{}' : jsonText)
  if (json === undefined) return invalid(`Arguments of ${spec.name} are not valid JSON`)
  if (typeof json.value !== 'object' || json.value === null || Array.isArray(json.value)) {
    return mismatch(`Arguments of ${spec.name} must be a JSON object`)
  }
  const unclear = spec.ruledBy?.kind === 'arguments' ? argumentTextProblem(jsonText) : undefined
  if (unclear !== undefined) return invalid(unclear)
  const forbidden = findPrototypeKey(json.value)
  if (forbidden !== undefined) return invalid(`${forbidden}: this field name is not accepted`)
  const parsed = spec.schema.safeParse(json.value)
  if (parsed.success) return { kind: 'ok', args: parsed.data }
  return toError(parsed.error.issues, json.value)
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Iterative, because the model chooses the depth and recursion could overflow the stack. */
function findPrototypeKey(root: object): string | undefined {
  const open: { readonly value: object; readonly path: string }[] = [{ value: root, path: '' }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [key, value] of Object.entries(next.value)) {
      const path = next.path === '' ? key : `${next.path}.${key}`
      if (!Array.isArray(next.value) && prototypeKeys.has(key)) return path.slice(-200)
      if (typeof value === 'object' && value !== null) open.push({ value, path: path.slice(-200) })
    }
  }
  return undefined
}

function toError(issues: readonly z.core.$ZodIssue[], root: object): ParsedArguments {
  const faults = issues.flatMap((issue) => toFaults(issue, root))
  const shown = faults.slice(0, maxFaults).map((fault) => fault.text)
  if (faults.length > maxFaults) shown.push(`and ${faults.length - maxFaults} more`)
  const message = shown.join('; ')
  return faults.every((fault) => fault.isMismatch) ? mismatch(message) : invalid(message)
}

interface Fault {
  readonly text: string
  readonly isMismatch: boolean
}

function toFaults(issue: z.core.$ZodIssue, root: object): Fault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      text: `${showPath([...issue.path, key])}: unknown field`,
      isMismatch: false,
    }))
  }
  const path = showPath(issue.path)
  if (issue.code !== 'invalid_type') {
    return [{ text: `${path}: ${issue.message}`, isMismatch: false }]
  }
  const isMissing = valueAt(root, issue.path) === undefined
  const text = isMissing
    ? `${path}: required field is missing`
    : `${path}: expected ${issue.expected}, got ${typeName(valueAt(root, issue.path))}`
  return [{ text, isMismatch: !isMissing }]
}

function showPath(path: readonly PropertyKey[]): string {
  return path.map((part) => String(part).slice(0, 64)).join('.') || 'arguments'
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? Reflect.get(value, key)
        : undefined,
    root,
  )
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function invalid(message: string): ParsedArguments {
  return { kind: 'error', error: { category: 'invalid_parameters', message } }
}

function mismatch(message: string): ParsedArguments {
  return { kind: 'error', error: { category: 'type_mismatch', message } }
}

/** ERR-04: a tool's JSON Schema in one line of at most 4,000 characters; descriptions are dropped first if it is too long. */
export function schemaHint(spec: ToolSpec): string {
  const whole = JSON.stringify(toolJsonSchema(spec))
  const text = whole.length <= longest ? whole : JSON.stringify(bare(toolJsonSchema(spec)))
  return shorten(`schema: ${text}`, longest)
}

/** Drops descriptions, but keeps a field that is named `description`. */
function bare(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(bare)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => key !== 'description' || typeof value !== 'string')
      .map(([key, value]) => [key, bare(value)]),
  )
}

/** REG-05: at most three of `names` most similar to `name`; one that contains the other counts as similar. */
export function nearestNames(name: string, names: readonly string[]): string[] {
  const wanted = name.slice(0, 64).toLowerCase()
  return names
    .map((candidate) => ({ candidate, score: distance(wanted, candidate.toLowerCase()) }))
    .sort((a, b) => a.score - b.score || a.candidate.localeCompare(b.candidate))
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

function distance(wanted: string, candidate: string): number {
  const edits = levenshtein(wanted, candidate)
  const contained = wanted !== '' && (wanted.includes(candidate) || candidate.includes(wanted))
  return contained ? edits / 10 : edits
}
