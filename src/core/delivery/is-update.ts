import type { Outgoing } from '../../ports/chat.ts'

/** Whether it changes a message that is there, and shows nothing new. */
export function isUpdate({ kind }: Outgoing): boolean {
  return kind === 'card_update' || kind === 'batch_update'
}
