import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { regexFault } from '../../../src/config/key-types.ts'
import { toLinearRegex } from '../../../src/util/text/linear-regex.ts'

function regexOf(text: string) {
  const result = toLinearRegex(text)
  if (result.kind === 'refused') throw new Error(result.why)
  return result.regex
}

describe('a linear regular expression', () => {
  test('POL-01 fits anywhere in the text, unless it is anchored', () => {
    expect(regexOf('.*sudo.*').test('x; sudo ls\ny')).toBe(true)
    expect(regexOf('^git\\b').test('git log')).toBe(true)
    expect(regexOf('^git\\b').test('ls\ngit log')).toBe(false)
    expect(regexOf('(?i)DROP\\s+table').test('drop  TABLE x')).toBe(true)
  })

  test.each([
    ['(?=x)', 'lookaround'],
    ['(?<!x)y', 'lookaround'],
    ['(a)\\1', 'a backreference'],
    ['(?<n>a)\\k<n>', 'a backreference'],
    ['a(', 'not valid'],
    ['a{1001}', 'not valid'],
    ['\\u0041', 'not valid'],
    ['(a{100}){20}', 'not valid'],
    ['(a?){500}a{500}', 'repeats too much'],
    ['x'.repeat(1_025), '1024 characters'],
  ])('POL-01 CONF-02 refused at load: %s', (text, why) => {
    expect(toLinearRegex(text)).toEqual({ kind: 'refused', why: expect.stringContaining(why) })
    expect(regexFault(text)).toContain(why)
  })

  test('POL-01 ends soon on what makes others take for ever', () => {
    const began = process.cpuUsage().user
    expect(regexOf('(a+)+$').test(`${'a'.repeat(100_000)}b`)).toBe(false)
    expect(regexOf('(a|a)*c').test('a'.repeat(100_000))).toBe(false)
    expect(process.cpuUsage().user - began).toBeLessThan(5_000_000)
  })

  test('CONF-02 what the configuration accepts is what the engine takes, and says the same as others do', () => {
    const part = fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '[^a]',
      '(a|b)',
      'a*',
      'b+?',
      '(?:ab)?',
      'a{2}',
      '^',
      '$',
    )
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 })
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), text, (parts, value) => {
        const pattern = parts.join('')
        expect(regexFault(pattern)).toBeUndefined()
        expect(regexOf(pattern).test(value)).toBe(new RegExp(pattern, 'u').test(value))
      }),
    )
  })
  test('OUT-08 REL-02 matches that each look through all that is left end in time, with the rest as one match', () => {
    const result = toLinearRegex('a(?:[^b]*b)?', 50)
    if (result.kind === 'refused') throw new Error(result.why)
    const text = 'a'.repeat(30_000)
    const spans = [...result.regex.find(text)]
    expect(spans.length).toBeLessThan(text.length / 2)
    // Nothing is left out: what is not looked at is no less a secret.
    expect(spans.every(([start], at) => start === (spans[at - 1]?.[1] ?? 0))).toBe(true)
    expect(spans.at(-1)?.[1]).toBe(text.length)
    expect([...result.regex.find('xaxab')]).toEqual([[1, 5]])
  })
})
