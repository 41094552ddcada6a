import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  toPrintable,
  toPrintableLine,
  toVisible,
} from '../../../../src/adapters/chat/render/printable.ts'
import { anyCharacter } from '../../../support/run/any-character.ts'

const steering = /(?!\n)\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\ufeff]/u
const pieces = [
  '\u001b[31m',
  '\u001b]0;title\u0007',
  '\u001b]8;;http://x\u001b\\',
  '\u009b2J',
  '\u001bc',
  '\r',
  '\r\n',
  '\b\b',
  '\u202e',
  '\ud800',
  '❯ ? 1',
  '\n› x',
  '\n \uff1e x',
  '█',
  '\t',
  'word',
  '\u001b',
  '[2J',
  '\u0090q\u009c',
]
const nasty = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join('')),
)

describe('text for a terminal', () => {
  test("CHAT-05 no text keeps an escape, a control character, a bidirectional mark or the card's marker", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        for (const shown of [toPrintable(text), toPrintableLine(text)]) {
          expect(shown).not.toMatch(steering)
          expect(shown).not.toMatch(/[❯█]/)
          expect(shown).not.toMatch(/^\s*[❱›＞»]/mu)
          expect(shown.isWellFormed()).toBe(true)
        }
        expect(toPrintableLine(text)).not.toContain('\n')
      }),
      { numRuns: 500 },
    )
  })

  test('THREAT-23 signs like the marker cannot begin a line, and stay within one', () => {
    for (const sign of '❱❭›＞»〉》⟩⮞➤ᐅ⏵▸🢒')
      expect(toPrintable(`${sign} Ada's agent\n  ${sign} wants\nMenu ${sign} File`)).toBe(
        `| Ada's agent\n  | wants\nMenu ${sign} File`,
      )
    expect(toPrintable('> a quote\n▶ run')).toBe('> a quote\n▶ run')
  })

  test('CHAT-05 escape sequences are removed completely; text in any script stays', () => {
    expect(
      toPrintable('\u001b[1;31mred\u001b[0m \u001b]8;;http://evil\u0007link\u001b]8;;\u0007'),
    ).toBe('red link')
    expect(toPrintable('a\r\nb\rc\td')).toBe('a\nb\nc    d')
    for (const text of ['naïve', '日本語', 'שלום', '👩‍👩‍👧', 'e\u0301', '│ ─ •'])
      expect(toPrintable(text)).toBe(text)
  })

  test('APPR-16 for approvals nothing is dropped: hidden characters are shown by name', () => {
    expect(toVisible('rm\u001b[8m -rf\u202e x\r\n❯')).toBe(
      'rm⟨U+001B⟩[8m -rf⟨U+202E⟩ x⟨U+000D⟩\n⟨U+276F⟩',
    )
    fc.assert(
      fc.property(nasty, (text) => {
        expect(toVisible(text)).not.toMatch(steering)
        expect(toVisible(text)).not.toContain('❯')
      }),
    )
  })
})
