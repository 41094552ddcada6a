import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../../src/rules/output/create-redactor.ts'
import { createLiveRedactor } from '../../../src/rules/output/live-redactor.ts'
import { alnum, base64, RandomText } from './corpus/random-text.ts'

const redactor = createRedactor([])
const random = new RandomText(9)
const long = (length: number) => random.of(alnum, length)

describe('a secret longer than the limit of its pattern', () => {
  test.each([
    ['session token', (s: string) => `{"SessionToken":"${s}"}`, 900],
    ['in INI', (s: string) => `aws_session_token = ${s}\nregion = eu`, 900],
    ['export', (s: string) => `export AWS_SESSION_TOKEN=${s}\nls`, 2_000],
    [
      'in JSON within JSON',
      (s: string) => JSON.stringify({ a: JSON.stringify({ client_secret: s }) }),
      700,
    ],
    ['in a URL', (s: string) => `/cb?access_token=${s}&state=1`, 3_000],
    ['Bearer', (s: string) => `Authorization: Bearer ${s}\r\nHost: a`, 9_000],
    ['JWT', (s: string) => `eyJhbGciOiJIUzI1NiJ9.${s}.abcdefghij x`, 30_000],
    ['GitHub', (s: string) => `ghp_${s}\n`, 700],
    ['docker', (s: string) => `"identitytoken": "${s}"`, 9_000],
  ])('OUT-08 is redacted exactly to its end: %s', (_where, make, length) => {
    const secret = long(length)
    const { text, found } = redactor.redact(make(secret))
    expect(found).toHaveLength(1)
    expect(text).toBe(
      make(secret)
        .replace(
          /(?:ghp_|eyJhbGciOiJIUzI1NiJ9\.)?[A-Za-z0-9]{600,}(?:\.abcdefghij)?/,
          '[redacted:x]',
        )
        .replace('[redacted:x]', /\[redacted:[a-z-]+\]/.exec(text)?.[0] ?? ''),
    )
  })

  test('OUT-08 THREAT-14 is never shown in part while it is printed', () => {
    const sizes = fc.integer({ min: 500, max: 6_000 })
    fc.assert(
      fc.property(sizes, fc.constantFrom(97, 400, 1_500), (size, piece) => {
        const secret = random.of(base64, size)
        const whole = `start\nexport AWS_SESSION_TOKEN=${secret}\nend\n`
        const live = createLiveRedactor(redactor)
        for (let at = 0; at < whole.length; at += piece) {
          live.append(whole.slice(at, at + piece))
          const view = live.read()
          expect(view).not.toMatch(/[A-Za-z0-9+/]{30}/)
        }
      }),
      { numRuns: 20 },
    )
  })
})
