import { createHmac, timingSafeEqual } from 'node:crypto'

/** Identity of a replica that proves knowledge of its worker's token. */
export interface Enrolment {
  readonly worker: string
  readonly replica: string
  /** Ed25519, SPKI PEM. */
  readonly publicKey: string
}

/**
 * The token that enrols the replicas of one worker only (threat 5), derived from the agents' secret: HMAC-SHA-256, lower-case
 * hexadecimal. The name comes last, so that the text is unambiguous.
 */
export function workerToken(secret: string, worker: string): string {
  return createHmac('sha256', secret).update(`countersign worker\n${worker}`).digest('hex')
}

/** Proof that the sender of a `hello` holds the token: HMAC-SHA-256, lower-case hexadecimal. */
export function enrolmentProof(token: string, enrolment: Enrolment): string {
  const text = [enrolment.worker, enrolment.replica, enrolment.publicKey].join('\n')
  return createHmac('sha256', token).update(text).digest('hex')
}

/**
 * Whether `proof` was made for this replica and key with the token of the worker it names. Constant time for all invalid
 * proofs.
 */
export function checkEnrolment(secret: string, enrolment: Enrolment, proof: string): boolean {
  const expected = Buffer.from(enrolmentProof(workerToken(secret, enrolment.worker), enrolment))
  const given = Buffer.from(proof)
  return secret !== '' && expected.length === given.length && timingSafeEqual(expected, given)
}
