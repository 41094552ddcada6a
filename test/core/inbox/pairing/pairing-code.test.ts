import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  codeAlphabet,
  codeLength,
  groupCode,
  looksLikeCode,
  parsePairing,
} from '../../../../src/core/inbox/pairing/pairing-code.ts'
import { anyCharacter } from '../../../support/run/any-character.ts'

const anySymbols = fc
  .array(fc.constantFrom(...codeAlphabet), { minLength: codeLength, maxLength: codeLength })
  .map((symbols) => symbols.join(''))
const anyCode = anySymbols.filter(looksLikeCode)
const lookAlikes: Readonly<Record<string, readonly string[]>> = {
  '0': ['0', 'O', 'o'],
  '1': ['1', 'I', 'i', 'L', 'l'],
}

/** What a person may make of a sign when they type it. */
function typed(symbols: string): fc.Arbitrary<string> {
  const signs = [...symbols].map((sign) =>
    fc.constantFrom(...(lookAlikes[sign] ?? [sign, sign.toLowerCase()])),
  )
  return fc.tuple(...signs).map((typedSigns) => typedSigns.join(''))
}

describe('a code', () => {
  test('CHAT-01 has at least 60 bits, though every one is drawn to look like a code', () => {
    // Signs of a group that have a digit from 2 on and a letter: all, less those without the one, or the other.
    const groups = [4, 4, 5].map((n) => 32 ** n - 24 ** n - 10 ** n + 2 ** n)
    const bits = groups.reduce((sum, count) => sum + Math.log2(count), 0)
    expect(bits).toBeGreaterThan(63)
    expect(codeAlphabet).toHaveLength(32)
  })

  test('CHAT-01 is recognised in its groups, whatever the case, look-alikes, dashes and blanks', () => {
    const gap = fc.constantFrom('-', ' ', '  ', ' - ', '–', '—', '\u2011', '\n')
    const around = fc.constantFrom(['', ''], [' ', '\n'], ['`', '`'], ['“', '”.'], ['', '.'])
    const message = anyCode.chain((symbols) =>
      fc.tuple(fc.constant(symbols), typed(symbols), gap, gap, around),
    )
    fc.assert(
      fc.property(message, ([symbols, signs, one, two, [before, behind]]) => {
        const grouped = `${signs.slice(0, 4)}${one}${signs.slice(4, 8)}${two}${signs.slice(8)}`
        const text = `${before}${grouped}${behind}`
        expect(parsePairing(text)).toEqual({ kind: 'code', symbols })
      }),
    )
  })

  test('CHAT-01 is recognised after /pair and /start, whatever it looks like', () => {
    const start = fc.constantFrom(
      '/pair ',
      '/start ',
      '/PAIR\n',
      '/pair@our_bot ',
      ' /start@our_bot  ',
    )
    const message = anySymbols.chain((symbols) =>
      fc.tuple(fc.constant(symbols), typed(symbols), start),
    )
    fc.assert(
      fc.property(message, fc.boolean(), ([symbols, signs, command], isGrouped) => {
        const text = `${command}${isGrouped ? groupCode(signs) : signs}`
        expect(parsePairing(text)).toEqual({ kind: 'code', symbols })
      }),
    )
  })

  test('CHAT-01 THREAT-26 after /link it is a wish to be linked, with a yes behind it the answer to what was asked, and nothing else is', () => {
    const start = fc.constantFrom('/link ', '/Link@our_bot\n', ' /LINK  ', '/link: ')
    const yes = fc.constantFrom(' yes', ' YES', '\nYes.', '` yes', ' “yes”')
    const message = anySymbols.chain((symbols) =>
      fc.tuple(fc.constant(symbols), typed(symbols), start, yes, fc.boolean()),
    )
    fc.assert(
      fc.property(message, ([symbols, signs, command, consent, isGrouped]) => {
        const text = `${command}${isGrouped ? groupCode(signs) : signs}`
        expect(parsePairing(text)).toEqual({ kind: 'code', symbols, link: 'wish' })
        const agreed = { kind: 'code', symbols, link: 'yes' }
        expect(parsePairing(`${text}${consent}`)).toEqual(agreed)
        expect(parsePairing(`${text} no`)).toEqual({ kind: 'garbled', symbols })
        expect(parsePairing(`${text} yes or no`)).toEqual({ kind: 'garbled', symbols })
      }),
    )
    expect(parsePairing('/link AB2CD3EFG4 YES')).toMatchObject({ link: 'wish' })
  })

  test.each([
    ['@our_bot AB2C-D3EF-G4HJK'],
    ['@our_bot, AB2C-D3EF-G4HJK'],
    ['AB2C-D3EF-G4HJK @our_bot'],
    ['/pair <AB2C-D3EF-G4HJK>'],
    ['/pair:AB2C-D3EF-G4HJK'],
    ['/pairAB2C-D3EF-G4HJK'],
    ['/start AB2CD3EFG4HJK'],
  ])('CHAT-01 is recognised in %j', (text) => {
    expect(parsePairing(text)).toEqual({ kind: 'code', symbols: 'AB2CD3EFG4HJK' })
  })
})

test('CHAT-01 THREAT-26 a code in its groups with a yes behind it answers what was asked, as after /link', () => {
  const agreed = { kind: 'code', symbols: 'AB2CD3EFG4HJK', link: 'yes' }
  expect(parsePairing('AB2C-D3EF-G4HJK yes')).toEqual(agreed)
  expect(parsePairing('“AB2C D3EF G4HJK” Yes!')).toEqual(agreed)
  expect(parsePairing('that went great yes')).toBeUndefined()
})

test.each([
  '/pair AB2C-D3EF-G4HJK please',
  '/pair my code: AB2C-D3EF-G4HJK',
  '/link ja AB2CD3EFG4HJK',
  '/link with AB2C D3EF G4HJK, thank you',
])(
  'CHAT-01 THREAT-7 a code among other words is known for one, though it is not tried: %j',
  (text) => {
    expect(parsePairing(text)).toEqual({ kind: 'garbled', symbols: 'AB2CD3EFG4HJK' })
  },
)

describe('what is no code', () => {
  test.each([
    ['hello'],
    ['that went great'],
    ['that-went-great'],
    ['prod-west-12345'],
    ['make test 12345'],
    ['1234-5678-12345'],
    ['ABCD-EFGH-JKMNP'],
    ['thatwentgreat'],
    ['AB2CD3EFG4HJK'],
    ['ABOD-AB1D-ABCID'],
    ['AB2C-D3EF-G4HJ'],
    ['AB2C-D3EF-G4HJKM'],
    ['AB2U-D3EF-G4HJK'],
    ['my code is AB2C-D3EF-G4HJK'],
    ['AB2C-D3EF-G4HJK please'],
    ['550e8400-e29b-41d4-a716-446655440000'],
    ['/start'],
    ['/start hello'],
    ['/starter kit 2345678'],
    ['/link'],
    ['/link '],
    ['/linked list 2345678'],
    ['/status'],
    ['/deny AB2C-D3EF-G4HJK'],
    [''],
  ])('CHAT-01 %j is an ordinary message', (text) => {
    expect(parsePairing(text)).toBeUndefined()
  })

  test.each([
    ['/pair'],
    ['/pair hello'],
    ['/link hello'],
    ['/pair@our_bot AB2C-D3EF'],
    ['/pair AB2C-D3EF-G4HJKM'],
  ])('CHAT-01 %j means to pair, and is not kept either', (text) => {
    expect(parsePairing(text)).toEqual({ kind: 'garbled' })
  })

  test('CHAT-01 no message of ordinary words is ever taken for a code', () => {
    const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFILO')
    const digit = fc.constantFrom(...'0123456789')
    const word = fc.string({ unit: letter, minLength: 1, maxLength: 9 })
    const number = fc.nat().map(String)
    const gap = fc.constantFrom(' ', '-', ' - ', ', ', '. ', '_', '/')
    const sentence = fc
      .array(fc.tuple(fc.oneof(word, number), gap), { minLength: 1, maxLength: 12 })
      .map((parts) => parts.flat().join(''))
    // As long as the groups of a code, each of letters alone or digits alone.
    const part = (length: number) =>
      fc.oneof(
        fc.string({ unit: letter, minLength: length, maxLength: length }),
        fc.string({ unit: digit, minLength: length, maxLength: length }),
      )
    const shaped = fc.tuple(part(4), gap, part(4), gap, part(5)).map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.oneof(sentence, shaped), (text) => {
        expect(parsePairing(text)).toBeUndefined()
      }),
      { numRuns: 2000 },
    )
  })

  test('CHAT-01 any text whatever is read, and what is found is 13 symbols', () => {
    const anyText = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 300 }),
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.string({ unit: anyCharacter }).map((rest) => `/pair ${rest}`),
      fc.string({ unit: fc.constantFrom(' ', '@', 'a', '-', '/', 'p'), maxLength: 300 }),
    )
    fc.assert(
      fc.property(anyText, (text) => {
        const found = parsePairing(text)
        if (found?.kind === 'code') expect(found.symbols).toMatch(/^[0-9A-HJKMNP-TV-Z]{13}$/)
      }),
    )
  })
})
