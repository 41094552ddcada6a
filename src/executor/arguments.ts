import type { CallRequest } from './call.ts'
import { fail } from './refusal.ts'

/** Returns a required text argument. The executor validates again what the gate has checked. */
export function textArgument(request: CallRequest, name: string): string {
  const value = optionalText(request, name)
  if (value === undefined) fail('invalid_parameters', `${name}: required field is missing`)
  return value
}

export function optionalText(request: CallRequest, name: string): string | undefined {
  const value = readValue(request, name)
  if (value !== undefined && typeof value !== 'string')
    fail('type_mismatch', `${name}: expected string`)
  return value
}

/** Returns a non-negative whole number. */
export function numberArgument(request: CallRequest, name: string): number | undefined {
  const value = readValue(request, name)
  if (value === undefined) return undefined
  if (typeof value !== 'number') fail('type_mismatch', `${name}: expected number`)
  if (!Number.isSafeInteger(value) || value < 0) {
    fail('invalid_parameters', `${name}: expected a whole number, not negative`)
  }
  return value
}

export function flagArgument(request: CallRequest, name: string): boolean | undefined {
  const value = readValue(request, name)
  if (value !== undefined && typeof value !== 'boolean')
    fail('type_mismatch', `${name}: expected boolean`)
  return value
}

function readValue(request: CallRequest, name: string): unknown {
  return Object.hasOwn(request.arguments, name) ? request.arguments[name] : undefined
}
