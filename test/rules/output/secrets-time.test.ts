import { expect, test } from 'vitest'
import {
  builtInSecretRules,
  createRedactor,
  createRuleFinder,
} from '../../../src/rules/output/create-redactor.ts'
import type { SecretRule } from '../../../src/rules/output/secrets/secret-rule.ts'
import { leastProcessorMs } from '../../support/processor-ms.ts'

/** Text around keywords: openings, punctuation and starts of values. */
const fillers = ['', '--', ' ', '="', ': a', 'aA1', '://', '.a', ' -p ', '\n', '\\"', ':a@']

interface Bound {
  /** Characters. */
  readonly length: number
  /** Processor time. A rule that reads thousands of characters at each position takes several times as long. */
  readonly mostMs: number
}

/** The slowest takes 20 to 27 ms at rest, and twice that for twice the length; one that rereads takes most of a second. */
const ofOneRule: Bound = { length: 6_000, mostMs: 100 }
const ofAllRules: Bound = { length: 40_000, mostMs: 800 }

/** A rule's first and last keyword, each with fillers before and after it. */
const units = (rule: SecretRule) =>
  [...new Set([rule.keywords[0] ?? '', rule.keywords.at(-1) ?? ''])].flatMap((keyword) =>
    fillers.flatMap((filler) => [`${keyword}${filler}`, `${filler}${keyword}aA1`]),
  )

function isQuick(
  search: (text: string) => unknown,
  unit: string,
  { length, mostMs }: Bound,
): boolean {
  const text = unit.repeat(Math.ceil(length / unit.length))
  return leastProcessorMs(() => void search(text), mostMs) < mostMs
}

test('OUT-12 OUT-08 no rule rereads a text made of its own keywords', () => {
  const slow = builtInSecretRules.flatMap((rule) => {
    const find = createRuleFinder([rule])
    const search = (text: string) => find(text, [{ start: 0, end: text.length }])
    return units(rule).filter((unit) => !isQuick(search, unit, ofOneRule))
  })
  expect(slow).toEqual([])
}, 120_000)

test.each([
  '--eyJ',
  '.eyJaaaaaaaa',
  '-----END PRIVATE KEY-----\n',
  `${'aB3d'.repeat(16)}\n`,
  `${'aB3d'.repeat(16)}\n-----END PRIVATE KEY-----\n`,
  'LS0tLS1CRUdJTi',
  `LS0tLS1CRUdJTi${'aB3d'.repeat(25)}\n`.slice(0, 77),
  'kind: Secret\nstringData:\n  a: |\n    b\n',
  '{"kind":"Secret","data":{"a":"b',
  'curl -u ',
  'mysql -p ',
  'key=aA1',
  'password: a(b',
])('OUT-12 OUT-08 %j repeated takes a number of steps bounded by the length', (unit) => {
  const { redact } = createRedactor([])
  expect(isQuick(redact, unit, ofAllRules)).toBe(true)
})
