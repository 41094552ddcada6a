import type { Outgoing } from '../../../ports/chat.ts'

/** The turn that was over with a message. */
export function endedBy(message: Outgoing): string | undefined {
  if (message.kind === 'answer') return message.turnId
  return message.kind === 'notice' ? message.endsTurn : undefined
}
