import { v7 } from 'uuid'

/** A fresh UUIDv7: sorts by the time it was made. An identifier, never a secret. */
export function newId(): string {
  return v7()
}
