import { z } from 'zod'
import { findTapAnswer } from '../../../db/outbox/inbox.ts'
import type { Db } from '../../../db/schema.ts'
import type { TapAnswer } from '../../../ports/chat.ts'

const tapAnswer = z.strictObject({ text: z.string(), alert: z.boolean() })

/** What was answered to the tap of this inbound event; undefined: nothing, or it is not handled. */
export async function readTapAnswer(db: Db, eventId: string): Promise<TapAnswer | undefined> {
  const stored = await findTapAnswer(db, eventId)
  return stored === undefined ? undefined : tapAnswer.parse(JSON.parse(stored))
}
