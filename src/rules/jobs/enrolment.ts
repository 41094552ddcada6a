import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a replica proves to know the enrolment token for. */
export interface Enrolment {
  readonly worker: string
  readonly replica: string
  /** Ed25519, SPKI PEM. */
  readonly publicKey: string
}

/** Threat 5: proof that whoever sends `hello` holds the enrolment token: HMAC-SHA-256, lower-case hexadecimal. */
export function enrolmentProof(token: string, enrolment: Enrolment): string {
  const text = [enrolment.worker, enrolment.replica, enrolment.publicKey].join('\n')
  return createHmac('sha256', token).update(text).digest('hex')
}

/** Whether `proof` was made with `token` for this replica and key; takes the same time for every wrong proof. */
export function checkEnrolment(token: string, enrolment: Enrolment, proof: string): boolean {
  const expected = Buffer.from(enrolmentProof(token, enrolment))
  const given = Buffer.from(proof)
  return token !== '' && expected.length === given.length && timingSafeEqual(expected, given)
}
