import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalArguments } from '../../../src/rules/tools/canonical-arguments.ts'

const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 })

/** The same value, with the keys of its objects in the opposite order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, turned(inner)] as const)
  return Object.fromEntries(entries.reverse())
}

test('OUT-11 equal arguments have one text, whatever the order of their keys and the blanks between', () => {
  fc.assert(
    fc.property(json, (args) => {
      const same = JSON.parse(JSON.stringify(turned(args), null, 2))
      expect(canonicalArguments(same)).toBe(canonicalArguments(JSON.parse(JSON.stringify(args))))
    }),
  )
})

test('OUT-11 different arguments have different texts', () => {
  const plain = json.filter((args) => typeof args['url'] !== 'string')
  fc.assert(
    fc.property(plain, plain, (one, other) => {
      const [a, b] = [one, other].map((args) => JSON.parse(JSON.stringify(args)))
      const isSame = canonicalArguments(a) === canonicalArguments(b)
      expect(isSame).toBe(equals(a, b))
    }),
  )
})

function equals(a: unknown, b: unknown): boolean {
  try {
    expect(a).toEqual(b)
    return true
  } catch {
    return false
  }
}

test.each([
  ['https://Site.Example:443', 'https://site.example/'],
  ['https://site.example/a/../b', 'https://site.example/b'],
  ['https://site.example/b#part', 'https://site.example/b'],
])('OUT-11 %s is asked for as %s', (one, other) => {
  expect(canonicalArguments({ url: one })).toBe(canonicalArguments({ url: other }))
})

test.each([
  ['https://site.example/a?x=1&y=2', 'https://site.example/a?y=2&x=1'],
  ['https://site.example/A', 'https://site.example/a'],
  ['https://site.example/a', 'https://site.example/a/'],
  ['not a URL', 'no URL'],
])('OUT-11 %s is not %s', (one, other) => {
  expect(canonicalArguments({ url: one })).not.toBe(canonicalArguments({ url: other }))
})

test('OUT-11 a URL of any form has a text, and the text of its text is the same', () => {
  fc.assert(
    fc.property(fc.oneof(fc.webUrl({ withFragments: true }), fc.string()), (url) => {
      const text = canonicalArguments({ url })
      expect(canonicalArguments(JSON.parse(text))).toBe(text)
    }),
  )
})
