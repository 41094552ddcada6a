import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../../src/rules/output/create-redactor.ts'
import { createLiveRedactor } from '../../../src/rules/output/live-redactor.ts'
import { sanitise } from '../../../src/rules/output/sanitise.ts'
import { toExtraShapes } from '../../../src/rules/output/to-extra-shapes.ts'
import { processorMs } from '../../support/processor-ms.ts'
import { base64, RandomText } from './corpus/random-text.ts'
import { hardFamily, secretCases } from './corpus/secret-cases.ts'

const known = 'correct horse battery staple'
const redactor = createRedactor([{ kind: 'queue-password', value: known }])
const random = new RandomText(11)
const keyLines = (count: number, width = 64) =>
  Array.from({ length: count }, () => random.of(base64, width))

/** Everything that is ever shown of a text printed in pieces. */
function* viewsOf(pieces: readonly string[], redacting = redactor): Generator<string> {
  const live = createLiveRedactor(redacting)
  for (const piece of pieces) {
    live.append(piece)
    yield live.read()
  }
}

const view = (text: string, redacting = redactor) => [...viewsOf([text], redacting)].at(-1)

// A mark contains its kind, which may be the prefix of the token.
const withoutMarks = (text: string) => text.replaceAll(/\[redacted:[a-z0-9-]+\]/g, '\u0001')

/** Fewer consecutive characters reveal nothing. */
const pieceLength = 5

/** Pieces of the secret that the redaction of the complete text removes everywhere. */
function hiddenPieces(text: string, secret: string): readonly string[] {
  const final = withoutMarks(redactor.redact(sanitise(text)).text)
  const count = Math.max(0, secret.length - pieceLength + 1)
  return Array.from({ length: count }, (_, at) => secret.slice(at, at + pieceLength)).filter(
    (piece) => !final.includes(piece),
  )
}

function cut(text: string, sizes: readonly number[]): readonly string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const size = sizes[pieces.length % sizes.length] ?? 1
    pieces.push(text.slice(at, at + size))
    at += size
  }
  return pieces
}

describe('output shown while it is printed', () => {
  const corpus = fc.integer({ min: 0, max: 2 ** 31 }).map((seed) => secretCases(seed))
  const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 20 })
  const between = fc.constantFrom(
    '',
    'words\n',
    '{"a":1}\n',
    'kind: List\nitems:\n',
    '\t- 7, ok\r\n',
  )

  test('THREAT-14 BASH-09 contains nothing that the redaction of the complete output hides, in any division into pieces', () => {
    fc.assert(
      fc.property(corpus, fc.nat(), sizes, between, (cases, index, pieces, before) => {
        const one = cases[index % cases.length]
        if (one === undefined || one.family === hardFamily) return
        const { text, secret, name } = one
        const whole = `${before}${text}\nmore words\nthe end\n`
        const hidden = hiddenPieces(whole, secret)
        for (const shown of viewsOf(cut(whole, pieces)))
          expect(
            hidden.filter((piece) => withoutMarks(shown).includes(piece)),
            `${name}: ${shown}`,
          ).toEqual([])
      }),
      { numRuns: 120 },
    )
  })

  test.each([
    ['an element', (s: string) => `<netlifyApiKey>\n  ${s}\n</netlifyApiKey>\n`],
    ['the value of an element on its line', (s: string) => `<password>${s}\n</password>\n`],
    ['a key', (s: string) => `-----BEGIN PRIVATE KEY-----\n${s}\n-----END PRIVATE KEY-----\n`],
    [
      'a key with headers',
      (s: string) =>
        `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: ${s}\n\n${s}\n-----END RSA PRIVATE KEY-----\n`,
    ],
    [
      'a key of which only the end is printed',
      (s: string) => `${s}Ab1\n${keyLines(3).join('\n')}\n-----END PRIVATE KEY-----\n`,
    ],
    ['data above its kind', (s: string) => `apiVersion: v1\ndata:\n  a: ${s}\nkind: Secret\n`],
    [
      'data far above its kind',
      (s: string) => `stringData:\n  a: ${s}\n${'  b: cccc\n'.repeat(400)}kind: Secret\n`,
    ],
    [
      'data far below its kind',
      (s: string) => `kind: Secret\ndata:\n${'  b: cccc\n'.repeat(4_000)}  a: ${s}\n`,
    ],
    ['a value below its name', (s: string) => `"password":\n  "${s}"\n`],
    ['a block', (s: string) => `api_token: |\n  ${s}\n`],
    ['a here-document', (s: string) => `read -r API_TOKEN <<EOF\n${s}\nEOF\n`],
    ['a cookie of many pairs', (s: string) => `Cookie: first=${s}; theme=dark; sid=a8fK2mQ9xL4\n`],
    ['a secret with blanks', () => `it is ${known}\n`],
  ])('THREAT-14 hides %s before it is complete', (_what, make) => {
    const secret = 'Zq8xT4vB9nK2mW7p'
    const text = make(secret)
    const pieces = [...hiddenPieces(text, secret), ...hiddenPieces(text, known)]
    expect(pieces).not.toEqual([])
    for (const size of text.length > 2_000 ? [900] : [1, 7])
      for (const shown of viewsOf(cut(`first\n${text}last\n`, [size])))
        for (const piece of pieces) expect(withoutMarks(shown)).not.toContain(piece)
  })

  test('THREAT-14 a known secret of several lines is held back from its first character', () => {
    const value = 'first line of it\nsecond line of it\nthird line'
    const redacting = createRedactor([{ kind: 'own', value }])
    for (const shown of viewsOf(cut(`before ${value} after\n`, [1]), redacting))
      expect(shown).not.toMatch(/first|second|third/)
    expect(view(`before ${value} after\n`, redacting)).toBe('before [redacted:own] after')
  })

  test.each([
    ['ACME-[0-9]{4} of [a-z]+', 'ok\nuses ACME-1234 of no', 'ok'],
    [String.raw`ACME-\S+ of [^\s]+`, 'ok\nuses ACME-1234 of no', 'ok'],
    [String.raw`ACME\s+[0-9]{4}`, 'ok\nuses ACME\n', ''],
    ['(?s)ACME.+END', 'ok\nuses ACME\n', ''],
    ['ACME[^;]+;', 'ok\nuses ACME\n', ''],
  ])(
    "OUT-08 text that the operator's pattern %s could still match is not shown",
    (pattern, text, shown) => {
      const { shapes } = toExtraShapes([pattern])
      expect(view(text, createRedactor([], shapes))).toBe(shown)
    },
  )

  test('THREAT-14 incomplete escape sequences hide nothing from the redaction', () => {
    const token = `ghp_${'aB3dE5fG7h'.repeat(4)}`
    const text = `see \u001b[32mghp_\u001b[0m${token.slice(4)} now\n\u001b]0;${token}\u0007done\n`
    for (const shown of viewsOf(cut(text, [1]))) expect(shown).not.toContain('aB3dE')
  })

  test('THREAT-14 a line whose start was dropped is not shown', () => {
    const live = createLiveRedactor(redactor)
    live.append('DB_PASSWORD: ')
    live.append('k3j5h7g9 and more\nnext\n', true)
    expect(live.read()).toBe('next')
    live.append(`${'x y '.repeat(40_000)}`)
    expect(live.read()).toBe('next')
    live.append('end\nlast\n')
    expect(live.read()).toBe('next\nlast')
  })
})

describe('ordinary output', () => {
  test('BASH-09 is shown unchanged, including the unfinished line', () => {
    expect(view('step 1 of 9: 45%')).toBe('step 1 of 9: 45%')
    expect(view('building\nDo you want to go on? [Y/n] ')).toBe(
      'building\nDo you want to go on? [Y/n]',
    )
    expect(view('one\ntwo three four')).toBe('one\ntwo three')
    expect(view('9fceb02d0ae598e95dc970b74767f19372d61af8 ok\n')).toContain('9fceb02d')
    expect(view('src/rules/output/filters\nREADME.md\n')).toBe(
      'src/rules/output/filters\nREADME.md',
    )
    expect(view('10%\r50% done\r\n')).toBe('50% done')
  })

  test('BASH-09 shows at most the last five complete lines', () => {
    expect(view('a\nb\nc\nd\ne\nf\ng h')).toBe('b\nc\nd\ne\nf\ng h')
  })

  test('OUT-12 takes bounded time and space, regardless of the amount', () => {
    const live = createLiveRedactor(redactor)
    const line = '2026-01-01 INFO request id=abc123 took 45 ms path=/x/y user=7\n'
    for (let count = 0; count < 50; count += 1) live.append(line.repeat(2_000))
    expect(processorMs(() => live.read())).toBeLessThan(500)
    expect(live.read()).toBe(line.repeat(5).trimEnd())
  })
})
