import { createHash } from 'node:crypto'

/** The SHA-256 of UTF-8 text or bytes, as 64 lower-case hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}
