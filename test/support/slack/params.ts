import { invalidArguments } from './limits/refusal.ts'

/** The arguments of one call, read with the type that the method wants. */
export class Params {
  readonly all: Readonly<Record<string, unknown>>

  constructor(all: Readonly<Record<string, unknown>>) {
    this.all = all
  }

  has(name: string): boolean {
    const value = this.all[name]
    return value !== undefined && value !== null && value !== ''
  }

  text(name: string): string | undefined {
    if (!this.has(name)) return undefined
    const value = this.all[name]
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    if (typeof value !== 'string') throw invalidArguments(`must be a string: ${name}`)
    if (!value.isWellFormed()) throw invalidArguments(`must be valid UTF-8: ${name}`)
    return value
  }

  required(name: string): string {
    const value = this.text(name)
    if (value === undefined) throw invalidArguments(`missing required field: ${name}`)
    return value
  }

  integer(name: string): number | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    if (!/^-?\d{1,15}$/.test(value)) throw invalidArguments(`must be an integer: ${name}`)
    return Number(value)
  }

  flag(name: string): boolean {
    const value = this.text(name)?.toLowerCase()
    if (value === undefined || ['false', '0', 'no'].includes(value)) return false
    if (['true', '1', 'yes'].includes(value)) return true
    throw invalidArguments(`must be a boolean: ${name}`)
  }

  /** An object or array, which is JSON where the body is a form. `refusal` is for what is neither. */
  json(name: string, refusal: () => Error): unknown {
    if (!this.has(name)) return undefined
    const value = this.all[name]
    if (typeof value !== 'string') return value
    try {
      return JSON.parse(value)
    } catch (cause) {
      const error = refusal()
      error.cause = cause
      throw error
    }
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
