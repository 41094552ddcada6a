import { z } from 'zod'

const sent = z.object({ message_id: z.int() })

/** The id of a message that the API says it sent; throws where it names none. */
export function toMessageId(message: unknown): string {
  return String(sent.parse(message).message_id)
}
