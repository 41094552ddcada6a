import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { WorkerMessage } from '../../../src/rules/jobs/contract.ts'
import {
  generateKeyPair,
  keyId,
  parsePublicKey,
  parseVerifyKeys,
} from '../../../src/rules/jobs/keys.ts'
import { createSigner, type JobFacts, signJob, signMessage } from '../../../src/rules/jobs/sign.ts'
import { peekMessage, verifyJob, verifyMessage } from '../../../src/rules/jobs/verify.ts'
import { sha256 } from '../../../src/util/digest.ts'

const agent = createSigner(generateKeyPair().privateKeyPem)
const stranger = createSigner(generateKeyPair().privateKeyPem)
const now = 1_800_000_000
const text = '{"command":"echo \\u0000 hi"}'

const facts: JobFacts = {
  type: 'run',
  callId: 'call-1',
  turnId: 'turn-1',
  epoch: 3,
  attempt: 1,
  worker: 'local',
  conversation: 'conversation-1',
  tool: 'bash',
  workspaceId: 'conversation-1',
  rules: {
    workspace: '/workspace',
    allowed: [],
    denyRead: [],
    allowRead: [],
    denyByRule: [],
    masked: [],
  },
  judged: [],
  timeoutMs: 30_000,
  network: false,
  caller: 'telegram:42',
}
const check = {
  verifyKeys: parseVerifyKeys(agent.publicKeyPem),
  worker: 'local',
  nowSeconds: now,
}
const job = signJob(agent, facts, text, now)

const message: WorkerMessage = {
  type: 'result',
  worker: 'local',
  replica: 'r-1',
  at: '2026-11-21T10:00:00.000Z',
  callId: 'call-1',
  attempt: 1,
  jobType: 'run',
  durationMs: 5,
  outcome: { kind: 'succeeded', output: 'fine' },
}

/** A result with the given outcome. */
function ended(how: { readonly exit_code?: number; readonly duration_ms?: number }) {
  const quiet = { stdout: '', stderr: '', exit_code: 0, truncated: false, timed_out: false }
  const envelope = { ...quiet, duration_ms: 1, ...how }
  return { outcome: { kind: 'succeeded' as const, output: '', envelope } }
}

describe('a job', () => {
  test('PROC-02 DECISION-14 passes verification unchanged: header, and arguments byte for byte', () => {
    const verified = verifyJob(structuredClone(job), check)
    expect(verified).toMatchObject({
      kind: 'ok',
      arguments: text,
      header: { ...facts, v: 1, kid: agent.kid, iat: now, exp: now + 900 },
    })
  })

  test("PROC-02 signed with another key is refused, under that key's id and under ours", () => {
    const forged = signJob(stranger, facts, text, now)
    expect(verifyJob(forged, check)).toEqual({
      kind: 'refused',
      why: 'it is signed with an unknown key',
    })
    const impostor = signJob({ ...stranger, kid: agent.kid }, facts, text, now)
    expect(verifyJob(impostor, check)).toEqual({
      kind: 'refused',
      why: 'its signature is wrong',
    })
  })

  test('PROC-02 with other arguments is refused with its header, as the header is authentic', () => {
    const swapped = { ...job, arguments: '{"command":"rm -rf /"}' }
    expect(verifyJob(swapped, check)).toMatchObject({
      kind: 'refused',
      why: 'its arguments are not the signed ones',
      header: { callId: 'call-1', attempt: 1 },
    })
  })

  test('PROC-02 for another worker is refused without its header', () => {
    const verified = verifyJob(job, { ...check, worker: 'other' })
    expect(verified).toEqual({ kind: 'refused', why: 'it is addressed to another worker' })
  })

  test.each([
    ['in its last second of grace', now + 960, 'ok'],
    ['after it', now + 961, 'refused'],
    ['when the worker is 60 s behind', now - 60, 'ok'],
    ['when it is 61 s behind', now - 61, 'refused'],
  ])('PROC-02 INT-40 has 15 minutes and 60 s of clock skew: %s', (_when, nowSeconds, kind) => {
    expect(verifyJob(job, { ...check, nowSeconds }).kind).toBe(kind)
  })

  test('PROC-02 is refused if any character of header or signature changes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<'header' | 'signature'>('header', 'signature'),
        fc.nat(),
        fc.string({ minLength: 1, maxLength: 1 }),
        (field, at, character) => {
          const original = job[field]
          const index = at % original.length
          fc.pre(original[index] !== character)
          const changed = original.slice(0, index) + character + original.slice(index + 1)
          const verified = verifyJob({ ...job, [field]: changed }, check)
          expect(verified.kind).toBe('refused')
          expect(verified).not.toHaveProperty('header')
        },
      ),
    )
  })

  test('PROC-02 has one spelling: extra fields, other base64 and padding are refused', () => {
    expect(verifyJob({ ...job, more: 1 }, check).kind).toBe('refused')
    const url = job.signature.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
    expect(verifyJob({ ...job, signature: url }, check).kind).toBe('refused')
    expect(verifyJob({ ...job, signature: `${job.signature}\n` }, check).kind).toBe('refused')
    expect(verifyJob({ ...job, header: ` ${job.header}` }, check).kind).toBe('refused')
  })

  test('PROC-02 REL-02 any other value is refused without throwing', () => {
    fc.assert(
      fc.property(fc.anything(), (anything) => {
        expect(verifyJob(anything, check).kind).toBe('refused')
      }),
    )
    fc.assert(
      fc.property(fc.json(), fc.string(), fc.string(), (header, signature, argumentsText) => {
        const verified = verifyJob({ header, signature, arguments: argumentsText }, check)
        expect(verified.kind).toBe('refused')
      }),
    )
  })

  test('PROC-02 with a signed header that breaks the contract is refused', () => {
    const header = JSON.stringify({ ...JSON.parse(job.header), attempt: 0 })
    const broken = { header, signature: agent.sign(header), arguments: text }
    expect(verifyJob(broken, check)).toEqual({
      kind: 'refused',
      why: 'its header does not follow the contract',
    })
  })
})

describe('a message of a replica', () => {
  test('THREAT-5 passes verification with the key of its replica only', () => {
    const signed = signMessage(stranger, message)
    expect(verifyMessage(signed, stranger.publicKeyPem)).toEqual({ kind: 'ok', message })
    expect(verifyMessage(signed, agent.publicKeyPem).kind).toBe('refused')
    expect(verifyMessage(signed, 'no key').kind).toBe('refused')
  })

  test('THREAT-5 with a changed outcome is refused', () => {
    const signed = signMessage(stranger, message)
    const forged = { ...signed, body: signed.body.replace('fine', 'evil') }
    expect(verifyMessage(forged, stranger.publicKeyPem)).toEqual({
      kind: 'refused',
      why: 'its signature is wrong',
    })
  })

  test('THREAT-5 can be parsed unverified to find the claimed sender', () => {
    expect(peekMessage(signMessage(stranger, message))).toEqual({ kind: 'ok', message })
    expect(peekMessage({ body: '{"type":"result"}', signature: '' }).kind).toBe('refused')
  })

  test.each([
    ['a time', { durationMs: 2 ** 31 }],
    ['an attempt', { attempt: 2 ** 31 }],
    ['an exit code', ended({ exit_code: -(2 ** 31) })],
    ['a time of a command', ended({ duration_ms: 2 ** 31 })],
  ])(
    'THREAT-5 REL-02 with %s that no row can hold is refused, whoever signed it',
    (_what, change) => {
      const signed = signMessage(stranger, { ...message, ...change })
      expect(verifyMessage(signed, stranger.publicKeyPem).kind).toBe('refused')
      expect(peekMessage(signed).kind).toBe('refused')
    },
  )

  test.each([
    ['more warnings than a worker has', { warnings: Array<string>(33).fill('x') }],
    ['a warning that would fill a card', { warnings: ['x'.repeat(2_001)] }],
    ['the name of a tool that is none', { tools: ['x'.repeat(65)] }],
    ['a workspace that no row can hold', { boxWorkspace: '/a\0b' }],
  ])('THREAT-5 REL-02 a greeting with %s is refused, whoever signed it', (_what, change) => {
    const hello: WorkerMessage = {
      type: 'hello',
      worker: 'default',
      replica: 'r1',
      at: new Date(0).toISOString(),
      beat: 1,
      driver: 'process',
      confined: false,
      warnings: ['commands can read everything'],
      boxWorkspace: '/workspace',
      tools: ['bash'],
      publicKey: stranger.publicKeyPem,
      proof: 'a'.repeat(64),
    }
    expect(peekMessage(signMessage(stranger, hello)).kind).toBe('ok')
    expect(peekMessage(signMessage(stranger, { ...hello, ...change })).kind).toBe('refused')
  })

  test('THREAT-5 REL-02 any other value is refused without throwing', () => {
    fc.assert(
      fc.property(fc.anything(), (anything) => {
        expect(verifyMessage(anything, agent.publicKeyPem).kind).toBe('refused')
        expect(peekMessage(anything).kind).toBe('refused')
      }),
    )
  })
})

describe('keys', () => {
  test('PROC-02 a file may hold several, so that an old and a new key are valid at once', () => {
    const keys = parseVerifyKeys(`# old\n${agent.publicKeyPem}\n# new\n${stranger.publicKeyPem}`)
    expect([...keys.keys()]).toEqual([agent.kid, stranger.kid])
    const rotated = { ...check, verifyKeys: keys }
    expect(verifyJob(signJob(stranger, facts, text, now), rotated).kind).toBe('ok')
    expect(verifyJob(job, rotated).kind).toBe('ok')
  })

  test('PROC-02 a key id is 16 hexadecimal digits that depend on the key only', () => {
    expect(agent.kid).toMatch(/^[0-9a-f]{16}$/)
    expect(keyId(parsePublicKey(agent.publicKeyPem))).toBe(agent.kid)
  })

  test('PROC-02 a private key, another algorithm or no key is refused with a message that does not quote it', () => {
    const { privateKeyPem } = generateKeyPair()
    expect(() => parseVerifyKeys(agent.publicKeyPem + privateKeyPem)).toThrow(/private/)
    expect(() => parseVerifyKeys('nothing')).toThrow(/no public key/)
    expect(() => createSigner('-----BEGIN PRIVATE KEY-----\nsecret')).toThrow(/^(?!.*secret)/)
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    expect(() => parseVerifyKeys(pem)).toThrow(/Ed25519/)
  })
})

describe('content beside a job', () => {
  const content = Buffer.from('hello').toString('base64')
  const contentSha256 = sha256('hello')
  const signed = signJob(agent, { ...facts, contentSha256 }, text, now)

  test('CHAT-07 PROC-02 is accepted only if it was signed', () => {
    expect(verifyJob({ ...signed, content }, check)).toMatchObject({ kind: 'ok', content })
    const wrong = 'its content is not the signed one'
    for (const other of [undefined, '', Buffer.from('hallo').toString('base64')]) {
      const refused = verifyJob({ ...signed, content: other }, check)
      expect(refused).toMatchObject({ kind: 'refused', why: wrong })
    }
    expect(verifyJob({ ...job, content }, check)).toMatchObject({ kind: 'refused', why: wrong })
  })

  test('CHAT-07 over 20 MB is refused', () => {
    const large = Buffer.alloc(20 * 1024 * 1024 + 3).toString('base64')
    expect(verifyJob({ ...signed, content: large }, check)).toMatchObject({
      why: 'it is not a signed job',
    })
  })
})
