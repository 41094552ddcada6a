import { takeUnknownCallerReply } from '../../../db/people/unknown-callers.ts'
import { answerHere } from '../answer-here.ts'
import type { IntakeTransaction } from '../intake-transaction.ts'

const tellingsPerHour = 30
const inviteOnly =
  'This bot works for invited people only. To get in, ask whoever runs it for a pairing code, and send it here.'

/**
 * CHAT-01: one polite line, in private only, to a person once a day and to 30 an hour in all. What they wrote is kept
 * nowhere and starts nothing.
 */
export async function tellStranger(tx: IntakeTransaction, text = inviteOnly): Promise<void> {
  const { db, incoming } = tx
  if (!incoming.isPrivate) return
  if (await takeUnknownCallerReply(db, incoming.from.id, tellingsPerHour))
    await answerHere(tx, text)
}
