import { z } from 'zod'
import type { Outgoing } from '../../ports/chat.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { card, cardFile } from './read-card.ts'

const text = z.string()
const some = z.exactOptional(text)
const yes = z.exactOptional(z.literal(true))

const batch = z.object({
  batchId: text,
  cards: z.array(card),
  file: z.exactOptional(cardFile),
})

const grant = z.object({ kind: z.enum(['session', 'file']), id: text })

const outgoing = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('answer'), markdown: text, turnId: text }),
  z.object({ kind: z.literal('remark'), markdown: text, turnId: text }),
  z.object({
    kind: z.literal('notice'),
    text,
    quoted: some,
    file: z.exactOptional(cardFile.extend({ about: text })),
    isSecret: yes,
    onlyFor: some,
    endsTurn: some,
    revokes: z.exactOptional(z.array(z.object({ label: text, grant }))),
  }),
  z.object({ kind: z.literal('card'), card }),
  z.object({ kind: z.literal('card_update'), card }),
  z.object({ kind: z.literal('batch'), batch }),
  z.object({ kind: z.literal('batch_update'), batch }),
])

/** The body of a message that waits in the outbox, or was sent from it. undefined: it is none. */
export function readOutgoing(body: string): Outgoing | undefined {
  return outgoing.safeParse(tryParseJson(body)).data
}
