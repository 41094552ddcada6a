import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { canonicalJson } from '../../util/canonical-json.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { replicaId, type SignedMessage, signedMessage, workerName } from './contract.ts'
import type { Signer } from './sign.ts'
import { isSignedBy } from './verify.ts'

/** Sender of live events: an agent (text of the model) or a worker's replica (output of calls). */
const eventSigner = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('agent'), id: z.uuid() }),
  z.strictObject({ kind: z.literal('replica'), worker: workerName, replica: replicaId }),
])
export type EventSigner = z.infer<typeof eventSigner>

const signedEvent = z.strictObject({
  from: eventSigner,
  /** Ascending with each event of a sender, to prevent replay. */
  seq: z.number().int().positive(),
  said: z.unknown(),
})
export type SignedEvent = z.infer<typeof signedEvent>

/** Signs a live event: returns the exact signed text and its signature. */
export type SignEvent = (payload: unknown) => SignedMessage

/**
 * Creates the function that signs the live events of one sender (PROC-02): without signatures, anyone with access to the bus
 * could show text in any chat. It counts events, so there must be only one per key.
 */
export function createEventSigner(signer: Signer, from: EventSigner): SignEvent {
  let seq = 0
  return (payload) => {
    seq += 1
    const body = canonicalJson({ from, seq, said: payload } satisfies SignedEvent)
    return { body, signature: signer.sign(body) }
  }
}

/**
 * Parses a signed event without verifying it, to look up the sender's key. Use the event only after `isEventSignedBy`
 * succeeded.
 */
export function peekSignedEvent(payload: unknown): SignedEvent | undefined {
  const signed = signedMessage.safeParse(payload)
  if (!signed.success) return undefined
  return signedEvent.safeParse(tryParseJson(signed.data.body)).data
}

/** Whether the event is signed with this key. Never throws. */
export function isEventSignedBy(payload: unknown, key: KeyObject): boolean {
  const signed = signedMessage.safeParse(payload)
  return signed.success && isSignedBy(key, signed.data.body, signed.data.signature)
}
