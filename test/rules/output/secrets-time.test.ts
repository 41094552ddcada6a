import { expect, test } from 'vitest'
import {
  createRedactor,
  createRuleFinder,
  secretRules,
} from '../../../src/rules/output/create-redactor.ts'
import type { SecretRule } from '../../../src/rules/output/secrets/secret-rule.ts'
import { processorMs } from '../../support/processor-ms.ts'

/** What may stand around keywords: openings, signs and beginnings of values. */
const fillers = ['', '--', ' ', '="', ': a', 'aA1', '://', '.a', ' -p ', '\n', '\\"', ':a@']
const length = 40_000
// Whatever reads thousands of characters at each place takes several times that long.
const mostMs = 800

/** Each keyword over and over, bare and with fillers before and behind it. */
const units = (rule: SecretRule) =>
  [...new Set([...(rule.keywords[0] ?? ''), rule.keywords.at(-1) ?? ''])].flatMap((keyword) =>
    fillers.flatMap((filler) => [`${keyword}${filler}`, `${filler}${keyword}aA1`]),
  )

function isQuick(search: (text: string) => unknown, unit: string): boolean {
  const text = unit.repeat(Math.ceil(length / unit.length))
  return processorMs(() => void search(text)) < mostMs
}

test('OUT-12 OUT-08 no rule reads a text of its own keywords over and over', () => {
  const slow = secretRules.flatMap((rule) => {
    const find = createRuleFinder([rule])
    const search = (text: string) => find(text, [{ start: 0, end: text.length }])
    return units(rule).filter((unit) => !isQuick(search, unit))
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
])('OUT-12 OUT-08 %j over and over is read in steps that its length bounds', (unit) => {
  const { redact } = createRedactor([])
  expect(isQuick(redact, unit)).toBe(true)
})
