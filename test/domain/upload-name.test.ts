import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isUploadName, toUploadName } from '../../src/domain/upload-name.ts'
import { hiddenNameOf } from '../../src/shared/upload-directory.ts'
import { anyCharacter } from '../support/run/any-character.ts'

describe('upload names', () => {
  test.each([
    ['report.pdf', 'report.pdf'],
    ['Jahresbericht – Übersicht (2).xlsx', 'Jahresbericht – Übersicht (2).xlsx'],
    ['写真.png', '写真.png'],
    ['../../etc/passwd', '_.._etc_passwd'],
    ['C:\\temp\\x.exe', 'C__temp_x.exe'],
    ['a\u2215b\uFF0Fc', 'a_b_c'],
    ['.bashrc', 'dot.bashrc'],
    ['AGENTS.md', '_AGENTS.md'],
    ['Claude.MD', '_Claude.MD'],
    ['authorized_keys', '_authorized_keys'],
    ['.env', 'dot.env'],
    ['.env.local', 'dot.env.local'],
    ['-.~.env', 'dot.env'],
    ['\u200B.env', 'dot.env'],
    ['...', 'file'],
    ['-env', 'env'],
    ['..', 'file'],
    ['', 'file'],
    ['  \u2003 ', 'file'],
    ['-rf', 'rf'],
    ['~root', 'root'],
    ['a\nb\tc\u0000d', 'abcd'],
    ['\u202Efdp.exe', 'fdp.exe'],
    ['in\u200Bvi\uFEFFsi\u2060ble\uFE0F.txt', 'invisible.txt'],
    ['\uD800half', 'half'],
    ['two   blanks\u00A0here.txt', 'two blanks here.txt'],
    ['end. . .', 'end'],
    ['CON', '_CON'],
    ['nul.tar.gz', '_nul.tar.gz'],
    ['Lpt1 .txt', '_Lpt1 .txt'],
    ['com¹', '_com¹'],
    ['console.log', 'console.log'],
    ['a$(id)`id`".txt', 'a_(id)_id__.txt'],
    ['\u1FEFid\u1FEF', '_id_'],
    ['e\u200B\u0301.txt', '\u00E9.txt'],
  ])('CHAT-07 %j becomes %j', (given, expected) => {
    expect(toUploadName(given)).toBe(expected)
  })

  test('CHAT-07 THREAT-27 a hidden name can be recovered, also with a number', () => {
    const hidden = fc.stringMatching(/^\.[a-z0-9][a-z0-9._-]{0,40}[a-z0-9]$/)
    fc.assert(
      fc.property(hidden, fc.integer({ min: 2, max: 1000 }), (given, number) => {
        const name = toUploadName(given)
        expect(hiddenNameOf(name)).toBe(given)
        expect(hiddenNameOf(name.replace('dot.', `dot-${number}.`))).toBe(given)
      }),
    )
    for (const name of ['env', 'dot', 'dotenv', 'dot-x.env', 'my.dot.env']) {
      expect(hiddenNameOf(name)).toBeUndefined()
    }
  })

  test('CHAT-07 a name that is too long keeps its extension and is not cut within a character', () => {
    const name = toUploadName(`${'é'.repeat(300)}.pdf`)
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200)
    expect(name).toMatch(/^é+\.pdf$/)
    expect(toUploadName(`a.${'b'.repeat(300)}`)).toHaveLength(200)
    expect(Buffer.byteLength(toUploadName('😀'.repeat(100)))).toBe(200)
    expect(isUploadName(name.replace('.pdf', '-1000.pdf'))).toBe(true)
    expect(isUploadName(`${'a'.repeat(230)}.pdf`)).toBe(false)
  })

  test('CHAT-07 any input becomes one harmless path segment, and is stable when converted again', () => {
    const hostile = fc.constantFrom(
      '../',
      '/',
      '\\',
      '\0',
      '.',
      ' ',
      'CON',
      '\u202E',
      '\u1FEF',
      '-',
      '~',
      'é',
    )
    const given = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 600 }),
      fc
        .array(fc.oneof(hostile, fc.string({ maxLength: 4 })), { maxLength: 120 })
        .map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(given, (text) => {
        const name = toUploadName(text)
        expect(isUploadName(name)).toBe(true)
        expect(name).not.toMatch(/[/\\\p{Cc}\p{Cf}\p{Cs}"$`]|^[.\-~ ]|[. ]$|^$/u)
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200)
        expect(name.isWellFormed()).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
