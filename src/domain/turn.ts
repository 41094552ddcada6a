import { sha256 } from '../util/digest.ts'

/** Origin of a turn: a message to the model, a shell command of a person, or `/undo`. */
export type TurnKind = 'message' | 'shell' | 'undo'

/** States of a live turn; a session has at most one. */
export const liveTurnStates = ['queued', 'thinking', 'acting'] as const

/** Final states of a turn. */
const endedTurnStates = ['done', 'stopped', 'failed'] as const

/** State of a turn. `waiting` is not stored: it is `acting` with only approvals left. */
export type TurnState = (typeof liveTurnStates)[number] | (typeof endedTurnStates)[number]

/** Activity in a conversation: no live turn, a turn in progress, or a turn that only waits for people. */
export type ActivityState = 'idle' | 'working' | 'waiting'

/**
 * Maps a turn id to a number from 1 to 2²⁸, for platforms that only take numbers. Two turns collide with a
 * probability of 1 in 268 million.
 */
export function turnNumber(turnId: string): number {
  return Number.parseInt(sha256(turnId).slice(0, 7), 16) + 1
}
