import { sha256 } from '../util/sha256.ts'

/**
 * Maps a turn id to a number from 1 to 2²⁸, for platforms that only take numbers. Two turns collide with a
 * probability of 1 in 268 million.
 */
export function turnNumber(turnId: string): number {
  return Number.parseInt(sha256(turnId).slice(0, 7), 16) + 1
}
