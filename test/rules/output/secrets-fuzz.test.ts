import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { builtInSecretRules, createRedactor } from '../../../src/rules/output/create-redactor.ts'
import { processorMs } from '../../support/processor-ms.ts'
import { anyCharacter } from '../../support/run/any-character.ts'
import { fuzzSeed } from '../../support/run/chosen-seed.ts'
import { hardFamily, type SecretCase, secretCases } from './corpus/secret-cases.ts'
import { isFound } from './corpus/secrets-table.ts'

const redactor = createRedactor([{ kind: 'own-secret', value: 'a secret of ours' }])
const keywords = builtInSecretRules.flatMap((rule) => rule.keywords)
/** Few corpora a run, as one takes longer to make than a text to search. */
const seed = fc.integer({ min: 0, max: 9 }).map((step) => fuzzSeed() + step)
const corpora = new Map<number, readonly SecretCase[]>()

function casesOf(corpus: number): readonly SecretCase[] {
  const made =
    corpora.get(corpus) ?? secretCases(corpus).filter(({ family }) => family !== hardFamily)
  corpora.set(corpus, made)
  return made
}

/** Secrets of all corpora, except those indistinguishable from other text. */
const oneCase = fc
  .tuple(seed, fc.nat())
  .map(([corpus, index]) => {
    const cases = casesOf(corpus)
    return cases[index % cases.length]
  })
  .filter((one): one is SecretCase => one !== undefined)

/** Text made of keywords and fragments of the rules. */
const crafted = fc
  .array(
    fc.oneof(
      fc.constantFrom(...keywords),
      fc.constantFrom(
        '=',
        ': ',
        '"',
        "'",
        '\n',
        '\\n',
        ' ',
        '%3D',
        '://',
        '@',
        '<',
        '>',
        '[redacted:jwt]',
        'data:\n',
      ),
      fc.string({ unit: fc.constantFrom(...'abXY01-_.+/='), minLength: 6, maxLength: 80 }),
      fc.string({ unit: anyCharacter, maxLength: 8 }),
      oneCase.map(({ text }) => text),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

describe('redaction', () => {
  test('OUT-08 never throws, and is idempotent', () => {
    fc.assert(
      fc.property(crafted, (text) => {
        const once = redactor.redact(text)
        expect(redactor.redact(once.text)).toEqual({ text: once.text, found: [] })
      }),
      { numRuns: 300 },
    )
  })

  test('OUT-08 keeps all other text in place', () => {
    fc.assert(
      fc.property(crafted, (text) => {
        const spans = redactor.find(text)
        let done = 0
        let expected = ''
        for (const { start, end, kind } of spans) {
          expect(start).toBeGreaterThanOrEqual(done)
          expect(end).toBeGreaterThan(start)
          expected += `${text.slice(done, start)}[redacted:${kind}]`
          done = end
        }
        expect(redactor.redact(text).text).toBe(expected + text.slice(done))
      }),
      { numRuns: 200 },
    )
  })

  test('OUT-08 AUD-01 keeps JSON valid, for arguments in the audit and lines of the log', () => {
    fc.assert(
      fc.property(crafted, crafted, (command, path) => {
        const text = JSON.stringify({ command, nested: { path, list: [command, 7] } })
        const clean: unknown = JSON.parse(redactor.redact(text).text)
        expect(clean).toMatchObject({ nested: { list: [expect.any(String), 7] } })
      }),
      { numRuns: 500 },
    )
  })

  test('OUT-08 finds every credential of all corpora in any context', () => {
    const words = fc.constantFrom('', 'the build is done\n', '{"a":1}\n', '\t- item 7, ok\r\n')
    fc.assert(
      fc.property(oneCase, words, words, (one, before, after) => {
        const text = `${before}${one.text}\n${after}`
        expect(isFound(redactor, { ...one, text }), one.name).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})

describe('slow input', () => {
  const hostile = [
    'secret=',
    'key="A1b2',
    'sharedaccesskey=A1b2',
    'mysql ',
    'curl -u ',
    '://a:b@',
    'eyJaaaaaaaa.aaaaaaaa.',
    'kind: Secret\n',
    'kind: Secret\n---\n',
    'apiVersion: v1\ndata:\n  a: b\nkind: Secret\n',
    'data:\n  a: b\n',
    'Private-Lines: 9\nAAAA\n',
    '---- BEGIN PRIVATE KEY ----',
    'login a password ',
    ':*:a:b:c\n',
    'cookie: a=b;',
    '$6$a$',
    '00D0',
    'MTA0',
    '"d":"',
    '"value":"token","value":"',
    '--token ',
    'token>\\n1\t',
    `token>${'\\n'.repeat(40)}`,
    'token>\n+a\n+',
    `login a${'\n'.repeat(30)}`,
    'data:\n  a:b:c:d:e',
    `a:${'b:'.repeat(50)}`,
    '\\\\"token\\\\":\\\\"',
    '[redacted:jwt]@',
    'password:\n',
    'token: |\n \n',
    'read -r TOKEN <<EOF\n',
    '--token \\\n',
    `token:\n${'a'.repeat(511)}"`,
  ]

  // Quadratic time would take most of a minute.
  test.each(hostile)('OUT-12 150,000 characters of %j are searched in linear time', (unit) => {
    const text = unit.repeat(Math.ceil(150_000 / unit.length))
    expect(processorMs(() => redactor.redact(text))).toBeLessThan(3_000)
  })

  test('OUT-12 a secret in each line of a long text is found in linear time', () => {
    const line = `DB_PASSWORD=${'k3j5h7g9f1d3'}\n`
    const text = line.repeat(20_000)
    const found: number[] = []
    const search = () => found.push(redactor.redact(text).found.length)
    expect(processorMs(() => void search())).toBeLessThan(10_000)
    expect(found).toEqual([20_000])
  })
})
