/** What began a turn: a message to the model, a person's own command, or their `/undo`. */
export type TurnKind = 'message' | 'shell' | 'undo'

/** States of a turn that goes on; a session has one such turn at most. */
export const liveTurnStates = ['queued', 'thinking', 'acting'] as const
/** States of a turn that has ended for good. */
export const endedTurnStates = ['done', 'stopped', 'failed'] as const

/** `waiting` is not stored: it is `acting` with nothing left but approvals. */
export type TurnState = (typeof liveTurnStates)[number] | (typeof endedTurnStates)[number]

/** What the turns of a place are at: none is live, one is worked on, or all that is left of it waits for people. */
export type PlaceState = 'idle' | 'working' | 'waiting'
