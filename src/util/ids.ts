import { randomBytes, randomInt } from 'node:crypto'
import { v7 } from 'uuid'

/** Draws `count` independent, unpredictable symbols of an alphabet. */
export function randomSymbols(alphabet: string, count: number): string {
  return Array.from({ length: count }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** A new UUIDv7, sortable by creation time. An identifier, never a secret. */
export function newId(): string {
  return v7()
}

/** 128 random bits, as 22 characters of base64url. */
export function newToken(): string {
  return randomBytes(16).toString('base64url')
}

/**
 * Whether text has exactly the form of `newId`; PostgreSQL also accepts other spellings of the same id, which were never issued.
 */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}
