import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../../src/rules/output/create-redactor.ts'
import { processorMs } from '../../support/processor-ms.ts'

const secret = 'correct/horse+battery="staple"'
const redactor = createRedactor([
  { kind: 'queue-password', value: secret },
  { kind: 'short', value: 'abc' },
])
const none = createRedactor([])
const letters = (count: number) => 'aB3dE5gH7jK9mN1pQ'.repeat(20).slice(0, count)
// Assembled at run time, so that scanners do not report this file.
const awsKeyId = `AKIA${'QYLPMN5H'.repeat(2)}`
const pem = (body: string) =>
  `-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----`

describe('known secrets', () => {
  const bytes = Buffer.from(secret)
  test.each([
    ['as it is', secret],
    ['URL-encoded', encodeURIComponent(secret)],
    ['inside JSON', JSON.stringify({ password: secret })],
    ['in hexadecimal', bytes.toString('hex')],
    ['in base64', bytes.toString('base64')],
    ['in base64url', bytes.toString('base64url')],
    ['in base64 after one byte', Buffer.from(`x${secret}yz`).toString('base64')],
    ['in base64 after two bytes', Buffer.from(`xy${secret}z`).toString('base64')],
    ['in base64 of a whole file', Buffer.from(`A=1\nPASSWORD=${secret}\n`).toString('base64')],
  ])('OUT-08 are found %s', (_form, text) => {
    const redacted = redactor.redact(`before ${text} after`)
    expect(redacted.text).toContain('[redacted:queue-password]')
    expect(redacted.text).not.toContain(text)
    expect(redacted.found[0]).toEqual({ kind: 'queue-password', line: 1 })
  })

  test('OUT-08 secrets shorter than eight characters are not redacted', () => {
    expect(redactor.redact('the abc of it').text).toBe('the abc of it')
  })

  test('OUT-08 are all found, regardless of position', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 2, maxLength: 6 }), (parts) => {
        const { text, found } = redactor.redact(parts.join(` ${secret} `))
        expect(text).not.toContain(secret)
        expect(found.length).toBeGreaterThanOrEqual(parts.length - 1)
      }),
    )
  })
})

describe('shapes', () => {
  test.each([
    ['api-key', `sk-ant-api03-${letters(40)}`],
    ['api-key', `sk-proj-${letters(48)}`],
    ['github-token', `ghp_${letters(36)}`],
    ['github-token', `github_pat_${letters(40)}`],
    ['gitlab-token', `glpat-${letters(20)}`],
    ['aws-key-id', awsKeyId],
    ['google-key', `AIza${letters(35)}`],
    ['slack-token', `xoxb-${'1234567890-'.repeat(2)}${letters(24)}`],
    ['slack-token', `xoxp-${'1234567890-'.repeat(3)}${letters(24)}`],
    ['slack-token', `xapp-1-A0-${letters(30)}`],
    ['telegram-token', `123456789:AA${letters(33)}`],
    ['stripe-key', `sk_live_${letters(24)}`],
    ['countersign-token', `countersign_${letters(43)}`],
    ['npm-token', `npm_${letters(36)}`],
    ['jwt', `eyJ${letters(30)}.eyJ${letters(60)}.${letters(43)}`],
    ['bearer-token', `Authorization: Bearer ${letters(32)}`],
    ['assigned-secret', `DB_PASSWORD=${letters(20)}`],
    ['assigned-secret', `  "apiKey": "${letters(32)}",`],
    ['assigned-secret', `aws_secret_access_key = ${letters(40)}`],
    ['assigned-secret', `SESSION_SECRET=${'0123456789abcdef'.repeat(4)}`],
    ['private-key', pem(`${letters(64)}\n${letters(64)}`)],
    ['private-key', `   1\t${pem(letters(64)).replaceAll('\n', '\n   2\t')}`],
  ])('OUT-08 %s is recognised in %s', (kind, text) => {
    const { text: clean, found } = none.redact(`first\n${text}\nlast`)
    expect(found.map((one) => one.kind)).toContain(kind)
    expect(found[0]?.line).toBe(2)
    expect(clean).toContain(`[redacted:${kind}]`)
    expect(clean).not.toContain(letters(17))
    expect(clean).toMatch(/^first\n[\s\S]*\nlast$/)
  })

  test('OUT-08 THREAT-14 a bot token in a file URL is recognised', () => {
    const url = `https://api.telegram.org/file/bot123456789:AA${letters(33)}/photos/1.jpg`
    expect(none.redact(url).text).toBe(
      'https://api.telegram.org/file/bot[redacted:telegram-token]/photos/1.jpg',
    )
  })

  test.each([
    ['postgres://app:pa%24s5@db:5432/x', 'postgres://app:[redacted:connection-password]@db:5432/x'],
    ['redis://:hunter2@cache', 'redis://:[redacted:connection-password]@cache'],
    ['postgres://app:a@b@db/x', 'postgres://app:[redacted:connection-password]@db/x'],
  ])('OUT-08 only the password of %s is hidden', (url, clean) => {
    expect(none.redact(url).text).toBe(clean)
  })

  test.each([
    ['a git hash', 'commit 9fceb02d0ae598e95dc970b74767f19372d61af8'],
    ['a short log', '9fceb02 fix: token refresh (#123)'],
    ['a UUID', 'token: 0190f2c4-5a4b-7c3d-8e9f-0123456789ab'],
    ['a sha256', 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['an integrity', `"integrity": "sha512-${letters(60)}=="`],
    ['code', 'const token = getTokenFromRequest(request1)'],
    ['a placeholder', 'password: changeme-please'],
    ['an address with a port', 'ssh://git@host:22/repo and http://host:8080/a@b'],
    ['words with sk-', 'risk-assessment-of-the-whole-task-list task-1234567890123456789'],
    ['a public key', `-----BEGIN PUBLIC KEY-----\n${letters(64)}\n-----END PUBLIC KEY-----`],
    ['a time', 'at 1234567890:12 seconds'],
  ])('OUT-08 %s is not a secret', (_what, text) => {
    expect(none.redact(text)).toEqual({ text, found: [] })
  })

  test('OUT-08 a token of letters is found, however few of them are capitals', () => {
    // Assembled at run time, as above.
    const { text } = none.redact(`value: ${'hf'}_EkdUIAadeNQcEdewDDakiAgjoSugjHfdko`)
    expect(text).toBe('value: [redacted:huggingface-token]')
    const name = `${'hf'}_aVeryLongNameThatIsNotOfTheirLength`
    expect(none.redact(name).text).toBe(name)
  })

  test('OUT-08 a truncated private key is hidden up to its end', () => {
    const cut = `key:\n-----BEGIN PRIVATE KEY-----\n${letters(64)}\n${letters(20)}`
    expect(none.redact(cut).text).toBe('key:\n[redacted:private-key]')
  })

  test('OUT-08 patterns of the operator are found, under their own kind', () => {
    const own = createRedactor([], [{ kind: 'badge', hints: [], pattern: /badge-(\d{4})/dg }])
    expect(own.redact('badge-1234').text).toBe('badge-[redacted:badge]')
  })

  test('OUT-08 overlapping matches become one mark', () => {
    const url = `postgres://app:${encodeURIComponent(secret)}@db`
    expect(redactor.redact(url).found).toHaveLength(1)
  })

  const planted = fc
    .array(
      fc.oneof(
        fc.string({ maxLength: 20 }),
        fc.constantFrom(
          secret,
          `ghp_${letters(36)}`,
          awsKeyId,
          pem(letters(30)),
          'postgres://a:b@c',
          'token=',
          '://x:',
          '@',
          'sk-',
          letters(30),
          '[redacted:jwt]',
          '-----BEGIN PRIVATE KEY-----',
        ),
      ),
      { maxLength: 20 },
    )
    .map((parts) => parts.join(''))

  test('OUT-08 redacting twice changes nothing and finds nothing new', () => {
    fc.assert(
      fc.property(planted, (text) => {
        const once = redactor.redact(text)
        expect(redactor.redact(once.text)).toEqual({ text: once.text, found: [] })
        expect(once.text).not.toContain(secret)
        expect(once.text).not.toContain(`ghp_${letters(36)}`)
      }),
      { numRuns: 500 },
    )
  })

  test('OUT-08 the reported line is the line where the secret begins', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('', 'a', secret), { maxLength: 30 }), (lines) => {
        const expected = lines.flatMap((line, index) => (line === secret ? [index + 1] : []))
        expect(redactor.redact(lines.join('\n')).found.map(({ line }) => line)).toEqual(expected)
      }),
    )
  })

  // Quadratic time would take half a minute and more.
  test.each([
    'eyJaaaaaaa.',
    '-----BEGIN PRIVATE KEY-----',
    '://:a',
    'token=a1b2',
    '1234567890:',
    'sk-',
    'AKIA',
    secret,
  ])('OUT-12 takes linear time over many of %s', (unit) => {
    const text = unit.repeat(Math.floor(1_000_000 / unit.length))
    expect(processorMs(() => redactor.redact(text))).toBeLessThan(4_000)
  })
})

test('OUT-08 fillers of short secrets do not cause repeated searches', () => {
  let looks = 0
  const accept = () => {
    looks += 1
    return true
  }
  const shape = { kind: 'short', hints: [], pattern: /p:(.)@/dg, accept }
  const { text, found } = createRedactor([], [shape]).redact('p:a@')
  expect(text).toBe('p:[redacted:short]@')
  expect(found).toHaveLength(1)
  expect(looks).toBe(2)
})

test('OUT-08 the PWD variable of a shell is not a secret, but a password named PWD is', () => {
  const { redact } = createRedactor([])
  const plain = 'PWD=/home/u1/my-project7\nOLDPWD=/tmp/adv-e2e/project8'
  expect(redact(plain).text).toBe(plain)
  expect(redact('DB_PWD=k3j5h7g9f1d3s5').text).toBe('DB_PWD=[redacted:assigned-secret]')
})
