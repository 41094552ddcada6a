import type { CallRequest } from '../call.ts'
import { fail } from '../refusal.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns a list of objects from the arguments. */
export function listArgument(request: CallRequest, name: string): readonly Fields[] {
  const value = request.arguments[name]
  if (!Array.isArray(value) || !value.every(isFields))
    fail('type_mismatch', `${name}: expected a list`)
  return value
}

export function textIn(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string') fail('type_mismatch', `${name}: expected string`)
  return value
}

/** Returns a non-negative whole number. */
export function numberIn(fields: Fields, name: string): number {
  const value = fields[name]
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    fail('type_mismatch', `${name}: expected a whole number, not negative`)
  }
  return value
}

export function flagIn(fields: Fields, name: string): boolean {
  const value = fields[name]
  if (typeof value !== 'boolean') fail('type_mismatch', `${name}: expected boolean`)
  return value
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
