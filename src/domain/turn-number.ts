import { sha256 } from '../util/sha256.ts'

/** A turn, for platforms that take numbers alone: from 1 to 2²⁸. Two turns of one conversation have the same once in 268 million. */
export function turnNumber(turnId: string): number {
  return Number.parseInt(sha256(turnId).slice(0, 7), 16) + 1
}
