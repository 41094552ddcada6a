import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a replica proves to know its worker's token for. */
export interface Enrolment {
  readonly worker: string
  readonly replica: string
  /** Ed25519, SPKI PEM. */
  readonly publicKey: string
}

/**
 * Threat 5: what enrols replicas of one worker, and of no other, made from the secret that agents hold. HMAC-SHA-256, lower-case
 * hexadecimal. The name stands last, so that no two names make one text.
 */
export function workerToken(secret: string, worker: string): string {
  return createHmac('sha256', secret).update(`countersign worker\n${worker}`).digest('hex')
}

/** Proof that whoever sends `hello` holds the token: HMAC-SHA-256, lower-case hexadecimal. */
export function enrolmentProof(token: string, enrolment: Enrolment): string {
  const text = [enrolment.worker, enrolment.replica, enrolment.publicKey].join('\n')
  return createHmac('sha256', token).update(text).digest('hex')
}

/**
 * Whether `proof` was made for this replica and key with the token of the very worker that it names; takes the same time
 * for every wrong proof.
 */
export function checkEnrolment(secret: string, enrolment: Enrolment, proof: string): boolean {
  const expected = Buffer.from(enrolmentProof(workerToken(secret, enrolment.worker), enrolment))
  const given = Buffer.from(proof)
  return secret !== '' && expected.length === given.length && timingSafeEqual(expected, given)
}
