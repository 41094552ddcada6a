import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sanitise, showControls } from '../../../src/rules/output/sanitise.ts'
import { processorMs } from '../../support/processor-ms.ts'
import { anyCharacter } from '../../support/run/any-character.ts'

const esc = '\u001b'

describe('sanitise', () => {
  test.each([
    ['colours', `${esc}[1;31mred${esc}[0m text`, 'red text'],
    ['eight-bit CSI', '\u009b31mred', 'red'],
    ['cursor movement', `a${esc}[2K${esc}[1Ab`, 'ab'],
    ['a title ended by BEL', `${esc}]0;title\u0007text`, 'text'],
    ['a link ended by ST', `${esc}]8;;https://a.b${esc}\\link${esc}]8;;${esc}\\`, 'link'],
    ['device control strings', `a${esc}Pq#0;2${esc}\\b`, 'ab'],
    ['character set choices', `${esc}(Btext${esc}=`, 'text'],
    ['a string that never ends, keeping its text', `${esc}]0;kept\nline`, '0;kept\nline'],
    ['an escape inside an escape', `${esc}${esc}[0m[31mx`, '[31mx'],
    ['a lone escape at the end', `x${esc}`, 'x'],
  ])('OUT-01 removes %s', (_what, text, plain) => {
    expect(sanitise(text)).toBe(plain)
  })

  test('OUT-01 collapses carriage-return progress to its last state and keeps CRLF lines', () => {
    expect(sanitise('10%\r50%\r100%\ndone')).toBe('100%\ndone')
    expect(sanitise('10%\r100%\r\r\ndone\r\n')).toBe('100%\ndone\n')
    expect(sanitise('one\r\ntwo\r\n')).toBe('one\ntwo\n')
    expect(sanitise('\r\r\r\n\r')).toBe('\n')
  })

  test('OUT-01 applies backspaces, as in spinners and bold text of manual pages', () => {
    expect(sanitise('|\b/\b-\b done')).toBe(' done')
    expect(sanitise('N\bNA\bAM\bME\bE')).toBe('NAME')
    expect(sanitise('\b\b\ba')).toBe('a')
  })

  test('OUT-01 collapses runs of blank lines, also at both ends', () => {
    expect(sanitise('a\n\n\n\nb\n\nc')).toBe('a\n\nb\n\nc')
    expect(sanitise('\n\n\na\n\n\n')).toBe('\na\n\n')
  })

  test('OUT-01 drops control characters, keeps tabs, and replaces NUL and lone surrogates', () => {
    expect(sanitise('a\u0001\u000b\u007f\u0085b\tc')).toBe('ab\tc')
    expect(sanitise('a\0b')).toBe('a\uFFFDb')
    expect(sanitise('a\ud83d b \udc00')).toBe('a\uFFFD b \uFFFD')
    expect(sanitise('emoji 😀 ok')).toBe('emoji 😀 ok')
  })

  const noisy = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          esc,
          `${esc}[`,
          `${esc}]`,
          '\r',
          '\n',
          '\b',
          '\0',
          '31m',
          '\u0007',
          '\u009b',
          ';',
        ),
        fc.string({ unit: anyCharacter, maxLength: 5 }),
      ),
      { maxLength: 60 },
    )
    .map((parts) => parts.join(''))

  test('OUT-01 REL-02 any input becomes plain text that is not longer and does not change again', () => {
    fc.assert(
      fc.property(noisy, (text) => {
        const plain = sanitise(text)
        expect(plain.length).toBeLessThanOrEqual(text.length)
        expect(sanitise(plain)).toBe(plain)
        expect(plain.isWellFormed()).toBe(true)
        expect([...plain].filter((c) => c < ' ' && c !== '\n' && c !== '\t')).toEqual([])
        expect(plain).not.toMatch(/\n\n\n/)
      }),
      { numRuns: 1000 },
    )
  })

  test('OUT-01 a long text gives the same result as its parts', () => {
    const longLine = `${'a'.repeat(65_536)}\n`
    fc.assert(
      fc.property(noisy, noisy, (one, other) => {
        const plain = sanitise(`b\n${one}${'\n'}`).slice(2)
        expect(sanitise(`${longLine}${one}\n`)).toBe(`${longLine}${plain}`)
        const both = sanitise(`b\n${one}\nb\n${other}`)
        const apart = sanitise(`b\n${one}\n${longLine}${other}`)
        expect(apart.replace(longLine, 'b\n')).toBe(both)
      }),
      { numRuns: 100 },
    )
    expect(sanitise('\n'.repeat(200_000))).toBe('\n')
    expect(sanitise(`a${`${esc}[0m\n`.repeat(200_000)}b`)).toBe('a\n\nb')
    expect(sanitise(`${longLine}\n\n${longLine}${'\n'.repeat(70_000)}\0`)).toBe(
      `${longLine}\n${longLine}\n\uFFFD`,
    )
  })

  // Quadratic time would take minutes.
  test.each([
    ['returns', '\r', 'x'],
    ['string introducers', `${esc}]`, ''],
    ['parameters', `${esc}[1;`, ''],
    ['nested introducers', `${esc}[`, '1'.repeat(1_000_000)],
    ['backspaces', 'ab\b', ''],
    ['line ends', '\n', 'x'],
    ['escapes', `${esc}[0m`, ''],
  ])('OUT-12 takes linear time over %s', (_what, unit, end) => {
    const text = unit.repeat(Math.floor(4_000_000 / unit.length)) + end
    expect(processorMs(() => sanitise(text))).toBeLessThan(10_000)
  })
})

describe('showControls', () => {
  test('GATE-07 a diff shows hidden characters, and keeps every line', () => {
    expect(showControls(`-old\rnew${esc}[2K\t\n`)).toBe('-old␍new␛[2K\t\n')
    expect(showControls('a\u202eb\u007f\u009bc')).toBe('a\uFFFDb␡\uFFFDc')
  })
})
