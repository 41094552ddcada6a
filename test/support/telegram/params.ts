import { badRequest } from './limits/refusal.ts'
import type { Upload } from './multipart.ts'

/** The parameters of one call, read with the type that the method wants; unknown ones are left alone. */
export class Params {
  readonly all: Readonly<Record<string, unknown>>
  readonly files: ReadonlyMap<string, Upload>

  constructor(all: Readonly<Record<string, unknown>>, files: ReadonlyMap<string, Upload>) {
    this.all = all
    this.files = files
  }

  has(name: string): boolean {
    const value = this.all[name]
    return value !== undefined && value !== null && value !== ''
  }

  text(name: string): string | undefined {
    if (!this.has(name)) return undefined
    const value = this.all[name]
    if (typeof value !== 'string') throw wrongType(name, 'a String')
    if (!value.isWellFormed()) throw badRequest('strings must be encoded in UTF-8')
    return value
  }

  integer(name: string): number | undefined {
    if (!this.has(name)) return undefined
    const value = this.all[name]
    const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value
    if (typeof number !== 'number' || !Number.isSafeInteger(number)) {
      throw wrongType(name, 'an Integer')
    }
    return number
  }

  flag(name: string): boolean {
    if (!this.has(name)) return false
    const value = this.all[name]
    if (typeof value === 'boolean') return value
    const word = typeof value === 'string' ? value.toLowerCase() : undefined
    if (word === 'true' || word === '1' || word === 'yes') return true
    if (word === 'false' || word === '0' || word === 'no') return false
    throw wrongType(name, 'a Boolean')
  }

  /** An object or array; as a string it is JSON. `what` is how Telegram calls it. */
  json(name: string, what: string): unknown {
    if (!this.has(name)) return undefined
    const value = this.all[name]
    if (typeof value !== 'string') return value
    try {
      return JSON.parse(value)
    } catch (error) {
      const refusal = badRequest(`can't parse ${what} JSON object`)
      refusal.cause = error
      throw refusal
    }
  }
}

function wrongType(name: string, expected: string): Error {
  return badRequest(`can't parse parameter "${name}": ${expected} is expected`)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
