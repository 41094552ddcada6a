import { expect, test } from 'vitest'
import { nameUnseen } from '../../../src/util/text/name-unseen.ts'

test.each([
  ['a bidirectional override', 'a\u202Eb', 'a⟨U+202E⟩b'],
  ['tags', 'a\u{E0041}', 'a⟨U+E0041⟩'],
  ['selectors without an emoji', 'a\uFE0F\u{E0100}', 'a⟨U+FE0F⟩⟨U+E0100⟩'],
  ['a second selector', '❤\uFE0F\uFE0F', '❤\uFE0F⟨U+FE0F⟩'],
  ['a joiner between Latin letters', 'a\u200Db', 'a⟨U+200D⟩b'],
] as const)('MCP-08 %s is named', (_title, text, shown) => {
  expect(nameUnseen(text)).toBe(shown)
})

test.each([
  ['an emoji of several', '👩\u200D👩\u200D👧 ❤\uFE0F'],
  ['Persian', 'می\u200Cخواهم'],
  ['lines and tabs', 'a\n\tb'],
])('MCP-08 %s stays as it is', (_title, text) => {
  expect(nameUnseen(text)).toBe(text)
})
