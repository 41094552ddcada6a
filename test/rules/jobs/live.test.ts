import { describe, expect, test } from 'vitest'
import { generateKeyPair, parsePublicKey } from '../../../src/rules/jobs/keys.ts'
import {
  createEventSigner,
  isEventSignedBy,
  peekSignedEvent,
} from '../../../src/rules/jobs/live.ts'
import { ReplayWindow } from '../../../src/rules/jobs/replay-window.ts'
import { createSigner } from '../../../src/rules/jobs/sign.ts'

describe('a live event', () => {
  const signer = createSigner(generateKeyPair().privateKeyPem)
  const key = parsePublicKey(signer.publicKeyPem)
  const from = { kind: 'replica', worker: 'default', replica: 'one' } as const

  test('PROC-02 carries its sender, an ascending number and a signature', () => {
    const speak = createEventSigner(signer, from)
    const all = [speak('a'), speak({ b: 1 })]
    expect(all.map(peekSignedEvent)).toEqual([
      { from, seq: 1, said: 'a' },
      { from, seq: 2, said: { b: 1 } },
    ])
    expect(all.map((one) => isEventSignedBy(one, key))).toEqual([true, true])
  })

  test('PROC-02 is refused if a word is changed, or the signature is of another key, in another spelling or missing', () => {
    const other = createSigner(generateKeyPair().privateKeyPem)
    const real = createEventSigner(signer, from)('honest')
    const forgeries = [
      { ...real, body: real.body.replace('honest', 'forged') },
      { ...real, body: real.body.replace('"one"', '"two"') },
      { ...real, signature: other.sign(real.body) },
      { ...real, signature: `${real.signature}=` },
      { ...real, signature: '' },
      { body: real.body },
      'honest',
      null,
    ]
    expect(forgeries.map((one) => isEventSignedBy(one, key))).toEqual(forgeries.map(() => false))
  })

  test.each([
    ['nothing', undefined],
    ['no JSON', { body: '{', signature: 'x' }],
    ['nobody', { body: '{"seq":1,"said":1}', signature: 'x' }],
    ['an odd name', spokenBy({ kind: 'replica', worker: 'a\u0000', replica: 'b' })],
    ['an agent without an id', spokenBy({ kind: 'agent', id: 'one' })],
  ])('REL-02 said by %s is nothing', (_what, payload) => {
    expect(peekSignedEvent(payload)).toBeUndefined()
  })
})

describe('a replay window', () => {
  test('PROC-02 accepts each number once, also out of order', () => {
    const window = new ReplayWindow()
    expect([1, 3, 2, 2, 1, 3, 4].map((seq) => window.take(seq))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      true,
    ])
  })

  test('PROC-02 refuses numbers too old to be known as new, and stays small', () => {
    const window = new ReplayWindow()
    for (let seq = 1; seq <= 10_000; seq += 1) expect(window.take(seq)).toBe(true)
    for (let seq = 1; seq <= 10_000; seq += 1) expect(window.take(seq)).toBe(false)
  })
})

function spokenBy(from: unknown) {
  return { body: JSON.stringify({ from, seq: 1, said: 1 }), signature: 'x' }
}
