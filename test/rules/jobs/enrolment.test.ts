import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkEnrolment, enrolmentProof, workerToken } from '../../../src/rules/jobs/enrolment.ts'
import { generateKeyPair } from '../../../src/rules/jobs/keys.ts'

const secret = '0123456789abcdef0123456789abcdef'
const { publicKeyPem: publicKey } = generateKeyPair()
const name = fc.oneof(
  fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,31}$/),
  fc.string(),
  fc.constantFrom('', '\n', 'a', 'a\n', '\na', 'a\nb', 'countersign worker\na'),
)

describe('the token of a worker', () => {
  test('THREAT-5 is the same for every agent with the secret, in every version', () => {
    expect(workerToken(secret, 'build')).toBe(
      '52755970c6ec0f035925717c8b4ed3cc37e3dc207ea43486a5ef58f85d80ae49',
    )
  })

  test('THREAT-5 differs for different names and secrets, including prefixes and line breaks', () => {
    fc.assert(
      fc.property(name, name, fc.string(), (one, other, rest) => {
        fc.pre(one !== other)
        const tokens = [one, other, `${one}${rest}`, `${one}\n${rest}`]
        const different = new Set(tokens)
        expect(new Set(tokens.map((each) => workerToken(secret, each))).size).toBe(different.size)
        expect(workerToken(`${secret}x`, one)).not.toBe(workerToken(secret, one))
      }),
    )
  })

  test('THREAT-5 enrols no replica under the name of another worker', () => {
    fc.assert(
      fc.property(name, name, (own, other) => {
        fc.pre(own !== other)
        const token = workerToken(secret, own)
        const as = (worker: string) => ({ worker, replica: 'r-1', publicKey })
        const isEnrolled = (worker: string, proof: string) =>
          checkEnrolment(secret, as(worker), proof)
        expect(isEnrolled(own, enrolmentProof(token, as(own)))).toBe(true)
        expect(isEnrolled(other, enrolmentProof(token, as(other)))).toBe(false)
        expect(isEnrolled(other, enrolmentProof(token, as(own)))).toBe(false)
      }),
    )
  })
})

describe('an enrolment proof', () => {
  const enrolment = { worker: 'local', replica: 'r-1', publicKey }
  const proof = enrolmentProof(workerToken(secret, 'local'), enrolment)

  test('THREAT-5 is valid for its secret, worker, replica and key only', () => {
    expect(checkEnrolment(secret, enrolment, proof)).toBe(true)
    expect(checkEnrolment('other', enrolment, proof)).toBe(false)
    expect(checkEnrolment(secret, { ...enrolment, worker: 'else' }, proof)).toBe(false)
    expect(checkEnrolment(secret, { ...enrolment, replica: 'r-2' }, proof)).toBe(false)
    const { publicKeyPem } = generateKeyPair()
    expect(checkEnrolment(secret, { ...enrolment, publicKey: publicKeyPem }, proof)).toBe(false)
    expect(checkEnrolment(secret, enrolment, '')).toBe(false)
  })

  test('THREAT-5 is not valid if made with the secret instead of the token', () => {
    expect(checkEnrolment(secret, enrolment, enrolmentProof(secret, enrolment))).toBe(false)
  })

  test('THREAT-5 an empty secret enrols no replica', () => {
    const empty = enrolmentProof(workerToken('', 'local'), enrolment)
    expect(checkEnrolment('', enrolment, empty)).toBe(false)
  })
})
