import type { Outgoing } from '../../../ports/chat.ts'

/** Id of the turn that a message ends, if any. */
export function endedTurn(message: Outgoing): string | undefined {
  if (message.kind === 'answer') return message.turnId
  return message.kind === 'notice' ? message.endsTurn : undefined
}
