import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { canonicalJson } from '../../util/canonical-json.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { replicaId, type SignedMessage, signedMessage, workerName } from './contract.ts'
import type { Signer } from './sign.ts'
import { isSignedBy } from './verify.ts'

/** Who may say something live: an agent about what the model writes, a replica about what its calls print. */
const speaker = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('agent'), id: z.uuid() }),
  z.strictObject({ kind: z.literal('replica'), worker: workerName, replica: replicaId }),
])
export type EventSigner = z.infer<typeof speaker>

const spoken = z.strictObject({
  from: speaker,
  /** Rises with everything a speaker says, so that nobody can say it again for it. */
  seq: z.number().int().positive(),
  said: z.unknown(),
})
export type SignedEvent = z.infer<typeof spoken>

/** A live event as it travels: the exact signed text, and its signature. */
export type Speak = (said: unknown) => SignedMessage

/**
 * PROC-02: whoever reaches the bus could show words of theirs in anybody's chat, so live events are signed too. One for each
 * key: it counts.
 */
export function createEventSigner(signer: Signer, from: EventSigner): Speak {
  let seq = 0
  return (said) => {
    seq += 1
    const body = canonicalJson({ from, seq, said } satisfies SignedEvent)
    return { body, signature: signer.sign(body) }
  }
}

/** What somebody claims to have said; act on it only once `isSaidBy` their key. */
export function peekSignedEvent(payload: unknown): SignedEvent | undefined {
  const signed = signedMessage.safeParse(payload)
  if (!signed.success) return undefined
  return spoken.safeParse(tryParseJson(signed.data.body)).data
}

/** Whether what was peeked at carries the signature of this key. Never throws. */
export function isEventSignedBy(payload: unknown, key: KeyObject): boolean {
  const signed = signedMessage.safeParse(payload)
  return signed.success && isSignedBy(key, signed.data.body, signed.data.signature)
}
