import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasInvisible, makeVisible } from '../../../src/rules/gate/visible.ts'
import { anyCharacter } from '../../support/run/any-character.ts'

describe('makeVisible', () => {
  test.each([
    ['a\u200Bb', 'a⟨U+200B⟩b'],
    ['a\u202Eb', 'a⟨U+202E⟩b'],
    ['a\u0000b', 'a⟨U+0000⟩b'],
    ['a\u001Bb', 'a⟨U+001B⟩b'],
    ['a\rb', 'a⟨U+000D⟩b'],
    ['a\u00A0b', 'a⟨U+00A0⟩b'],
    ['a\u{E0041}b', 'a⟨U+E0041⟩b'],
    ['a\uD800b', 'a⟨U+D800⟩b'],
    ['a\u3164b', 'a⟨U+3164⟩b'],
    ['a❯b█\u{1FB00}', 'a⟨U+276F⟩b⟨U+2588⟩⟨U+1FB00⟩'],
    ['a\u030Ab\u0333c\u033F', 'a⟨U+030A⟩b⟨U+0333⟩c⟨U+033F⟩'],
    ['a\u2800b', 'a⟨U+2800⟩b'],
    ['e\u0301 o\u0302\u0323', 'e\u0301 o\u0302\u0323'],
    ['e\u0301\u0301\u0301\u0301', 'e\u0301\u0301⟨U+0301⟩⟨U+0301⟩'],
    ['-\u0338x', '-⟨U+0338⟩x'],
    ['plain text\n\twith lines, ü and 日本', 'plain text\n\twith lines, ü and 日本'],
    ['        eight', '        eight'],
    ['a         b', 'a⟨␠×9⟩b'],
    [`a${'\n'.repeat(200)}b`, 'a⟨⏎×200⟩b'],
    ['a\n\n\nb', 'a\n\n\nb'],
  ])('THREAT-23 APPR-16 %j is shown as %j', (text, shown) => {
    expect(makeVisible(text)).toBe(shown)
  })

  test('THREAT-23 line breaks with blanks between them are counted too', () => {
    expect(makeVisible(`a${' \n'.repeat(50)}rm`)).not.toContain('\n')
  })

  test('APPR-16 two different texts never look the same', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '1', '\n', ' ', '\t', '\u200B', '⟨', '⏎', '×', 'U', '+', '␠', '⟩'),
      maxLength: 40,
    })
    fc.assert(
      fc.property(text, text, (one, other) => {
        fc.pre(one !== other)
        expect(makeVisible(one)).not.toBe(makeVisible(other))
      }),
      { numRuns: 2000 },
    )
  })

  test('APPR-16 nothing invisible is left in what is shown', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(hasInvisible(makeVisible(text))).toBe(false)
      }),
    )
  })
})
