import type { Card } from '../../../domain/approval.ts'
import type { LiveEvent } from '../../../ports/chat.ts'

export type Progress = Extract<LiveEvent, { kind: 'progress' }>

/** Whether it is the call of this card that says so; where a card does not tell its call, whether its tool does. */
export function isAbout(
  { callId, tool }: Pick<Progress, 'callId' | 'tool'>,
  card: Pick<Card, 'callId' | 'tool'>,
): boolean {
  return card.callId === undefined ? card.tool === tool : card.callId === callId
}
