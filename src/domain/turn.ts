export const liveTurnStates = ['queued', 'thinking', 'acting'] as const
export const endedTurnStates = ['done', 'stopped', 'failed'] as const

/** `waiting` is not stored: it is `acting` with nothing left but approvals. */
export type TurnState = (typeof liveTurnStates)[number] | (typeof endedTurnStates)[number]
