import { expect, test } from 'vitest'
import { createRulesCache } from '../../../../src/core/call/gate/call-context.ts'

const text = '{ "read": { "~/notes": "allow" } }'

test('PERF-01 rules are parsed once for the same text and home', () => {
  const parse = createRulesCache()
  expect(parse(text, '/home/a')).toBe(parse(text, '/home/a'))
})

test('GATE-04 another text or home has rules of its own', () => {
  const parse = createRulesCache()
  const patterns = (home: string, from = text) => {
    const rules = parse(from, home)
    return rules.kind === 'rules' ? rules.rules.map((rule) => rule.pattern) : []
  }
  expect(patterns('/home/a')).toEqual(['/home/a/notes'])
  expect(patterns('/home/b')).toEqual(['/home/b/notes'])
  expect(patterns('/home/a', '{ "read": { "plan": "deny" } }')).toEqual(['plan'])
  expect(patterns('/home/a')).toEqual(['/home/a/notes'])
})

test('GATE-09 a damaged text stays damaged until it is mended', () => {
  const parse = createRulesCache()
  expect(parse('{', '/home/a').kind).toBe('damaged')
  expect(parse('{', '/home/a').kind).toBe('damaged')
  expect(parse('{}', '/home/a').kind).toBe('rules')
})

test('PERF-01 what was not asked for since a hundred others is forgotten', () => {
  const parse = createRulesCache()
  const [first, kept] = [parse(text, '/first'), parse(text, '/kept')]
  for (let index = 0; index < 99; index += 1) {
    parse(text, `/home/${index}`)
    parse(text, '/kept')
  }
  expect(parse(text, '/kept')).toBe(kept)
  expect(parse(text, '/first')).not.toBe(first)
})
