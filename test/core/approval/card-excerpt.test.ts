import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { excerpt, shownLength, toExact } from '../../../src/core/card/card-excerpt.ts'
import { english } from '../../../src/domain/messages/messages.ts'
import { makeVisible } from '../../../src/rules/gate/visible.ts'

const room = { characters: 400, lines: 12, around: '\n' } as const
const mark = /⋯ (?:([\d,]+) lines, )?([\d,]+) characters more in the file ⋯/

/** Text of every kind that makes cutting hard. */
const hard = fc
  .array(
    fc.oneof(
      fc.constantFrom('\n', ' ', '\t', '⟨', '⟩', '⏎', '\u200B', '\u202E', '😀', 'e\u0301', '⋯'),
      fc.constantFrom('\n'.repeat(30), ' '.repeat(90), '\u200B'.repeat(60), '😀'.repeat(90)),
      fc.string({ maxLength: 300 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))

describe('what is shown of a long text', () => {
  test('APPR-16 what fits is shown as it is', () => {
    const text = 'a\n'.repeat(11)
    expect(excerpt(english, text, room)).toBe(text)
  })

  test('APPR-16 THREAT-23 the first and the last lines stand, and between them how much more there is', () => {
    const lines = Array.from({ length: 500 }, (_, index) => `line ${index + 1}`)
    const [head = '', tail = ''] = excerpt(english, lines.join('\n'), room).split(
      mark.exec('')?.[0] ?? /⋯.*⋯/,
    )
    const shown = [...head.trim().split('\n'), ...tail.trim().split('\n')]
    expect(shown[0]).toBe('line 1')
    expect(shown.at(-1)).toBe('line 500')
    expect(shown.every((line) => lines.includes(line))).toBe(true)
    const [, left] = mark.exec(excerpt(english, lines.join('\n'), room)) ?? []
    expect(Number(left) + shown.length).toBe(500)
  })

  test('APPR-16 one very long line is cut by characters, its end stands too', () => {
    const text = `echo ${'x'.repeat(30_000)}; rm -rf /`
    const shown = excerpt(english, text, room)
    expect(shown.startsWith('echo xxx')).toBe(true)
    expect(shown.endsWith('; rm -rf /')).toBe(true)
    const [, lines, left] = mark.exec(shown) ?? []
    expect(lines).toBeUndefined()
    const kept = shown.replace(mark, '').replaceAll('\n', '').length
    expect(Number(left?.replaceAll(',', '')) + kept).toBe(text.length)
  })

  test('APPR-16 a short first line before a long one is not all that is shown', () => {
    const shown = excerpt(english, `#!/bin/sh\n${'y'.repeat(5_000)}\nrm -rf /`, room)
    expect(shown).toMatch(/^#!\/bin\/sh\ny{100,}\n⋯ .*\ny{50,}\nrm -rf \/$/)
  })

  test('THREAT-23 line breaks that were shown as a count are counted as what they are in the file', () => {
    const text = makeVisible(`a${'b'.repeat(400)}${'\n'.repeat(200)}${'c'.repeat(400)}`)
    expect(excerpt(english, text, room)).toMatch(/⋯ 201 lines, [\d,]+ characters more/)
  })

  test('APPR-16 a text that begins with a line break is cut like any other, however many lines there may be', () => {
    const lines = { characters: 150, lines: Number.MAX_SAFE_INTEGER, around: ' ' } as const
    expect(excerpt(english, `\n${'x'.repeat(500)}`, lines)).toMatch(
      /^\nx+ ⋯ [\d,]+ characters more in the file ⋯ x+$/,
    )
  })

  test('APPR-16 tabs and line breaks count for what they take where they are shown', () => {
    expect(shownLength('a\tb\n', '\n')).toBe(7)
    expect(shownLength('a\tb\n', ' ')).toBe(14)
    expect(excerpt(english, 'x\t'.repeat(100), room)).toMatch(/⋯/)
    expect(excerpt(english, 'x\t'.repeat(80), room)).not.toMatch(/⋯/)
  })

  test('APPR-16 whatever the text: within its room, a true beginning and end, no character and no mark in half', () => {
    fc.assert(
      fc.property(hard, fc.constantFrom('\n', ' '), (raw, around) => {
        const text = makeVisible(raw)
        const shown = excerpt(english, text, { ...room, around })
        expect(shownLength(shown, around)).toBeLessThanOrEqual(room.characters)
        expect(shown.isWellFormed()).toBe(true)
        expect(shown.split('\n').length).toBeLessThanOrEqual(room.lines + 1)
        expect(shown.replaceAll(/⟨(U\+[0-9A-F]+|[⏎␠⇥]×\d+)⟩/g, '')).not.toMatch(/[⟨⏎␠⇥]/)
        if (shown === text) return
        const at = shown.search(/⋯ [\d,]+ (lines|characters)[^⋯]* more in the file ⋯/)
        expect(at).toBeGreaterThanOrEqual(0)
        expect(text.startsWith(shown.slice(0, Math.max(at - 1, 0)))).toBe(true)
        expect(text.endsWith(shown.slice(shown.indexOf('file ⋯', at) + 7))).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('what stands in the file', () => {
  test('APPR-16 THREAT-23 blanks and line breaks are all there, what cannot be seen stays marked', () => {
    expect(toExact(makeVisible(`a${' '.repeat(4000)}b${'\n'.repeat(200)}`))).toBe(
      `a${' '.repeat(4000)}b${'\n'.repeat(200)}`,
    )
    expect(toExact(makeVisible('a\u202Eb ⟨⏎×200⟩'))).toBe('a⟨U+202E⟩b ⟨U+27E8⟩⟨U+23CE⟩×200⟩')
  })

  test('APPR-16 text with nothing to mark is in the file to the letter', () => {
    const plain = fc.string({ unit: fc.constantFrom('a', '\n', ' ', '\t', '😀', '×', '9', '⟩') })
    fc.assert(
      fc.property(plain, (text) => {
        expect(toExact(makeVisible(text))).toBe(text)
      }),
    )
  })
})
