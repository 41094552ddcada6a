import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRedactor } from '../../../src/rules/output/create-redactor.ts'
import { toExtraShapes } from '../../../src/rules/output/to-extra-shapes.ts'

function redact(patterns: readonly string[], text: string): string {
  return createRedactor([], toExtraShapes(patterns).shapes).redact(text).text
}

test('OUT-08 extra_patterns redact their match, or only the first group', () => {
  expect(redact(['ACME-[0-9]{4}'], 'a ACME-1234 b ACME-9876')).toBe(
    'a [redacted:extra-pattern] b [redacted:extra-pattern]',
  )
  expect(redact([String.raw`badge (\d+)-(\d+)`], 'badge 12-34')).toBe(
    'badge [redacted:extra-pattern]-34',
  )
  expect(redact(['(?i)badge:(x)?[0-9]+'], 'BADGE:42')).toBe('[redacted:extra-pattern]')
  expect(redact(['é+'], 'café 😀 éé')).toBe(
    'caf[redacted:extra-pattern] 😀 [redacted:extra-pattern]',
  )
})

test('OUT-07 a pattern that is invalid or over 512 characters is skipped and reported; the others are used', () => {
  const long = 'a'.repeat(513)
  const { shapes, skipped } = toExtraShapes([long, 'b'.repeat(512), '(c', '(?<=x)d', 'e'])
  expect(shapes).toHaveLength(2)
  expect(skipped).toEqual([
    { number: 1, why: 'has 513 characters, and may have 512' },
    { number: 3, why: expect.stringContaining('not valid') },
    { number: 4, why: expect.stringContaining('lookaround') },
  ])
})

test('OUT-08 a pattern that matches the empty text redacts nothing and terminates', () => {
  expect(redact(['x*', '', '^', '(q?)z?'], 'abc')).toBe('abc')
  expect(redact(['x*'], 'axxb')).toBe('a[redacted:extra-pattern]b')
})

test('OUT-07 no pattern makes redaction throw or take more than linear time', () => {
  const part = fc.constantFrom(
    'a',
    '.',
    '[^b]',
    '(a|b)*',
    '(a+)+',
    '^',
    '$',
    '\\b',
    '(',
    ')',
    '{2}',
    '|',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.string({ maxLength: 60 }), (parts, text) => {
      expect(() => redact([parts.join('')], text)).not.toThrow()
    }),
  )
  const began = process.cpuUsage().user
  redact(['(a+)+$', '(a|a)*c'], `${'a'.repeat(50_000)}b`)
  expect(process.cpuUsage().user - began).toBeLessThan(10_000_000)
})
