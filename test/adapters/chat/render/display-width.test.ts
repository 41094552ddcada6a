import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  cutToWidth,
  displayWidth,
  splitBehindBlanks,
  splitToWidth,
  wrapToWidth,
} from '../../../../src/adapters/chat/render/display-width.ts'
import { processorMs } from '../../../support/processor-ms.ts'

describe('the width of text', () => {
  test.each([
    ['abc', 3],
    ['日本', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['❤️', 2],
    ['ｆｕｌｌ', 8],
    ['', 0],
  ])('TERM-01 %j takes %i columns', (text, columns) => {
    expect(displayWidth(text)).toBe(columns)
  })

  test('REL-02 a very long line is measured once, not once a row', () => {
    const text = '日本語 '.repeat(50_000)
    expect(processorMs(() => expect(splitToWidth(text, 40).join('')).toBe(text))).toBeLessThan(
      8_000,
    )
  })

  test('TERM-01 rows are never wider than asked, and together they are the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 2, max: 30 }),
        (text, columns) => {
          const rows = splitToWidth(text, columns)
          expect(rows.join('')).toBe(text)
          for (const row of rows) expect(displayWidth(row)).toBeLessThanOrEqual(columns)
          for (const [index, row] of rows.slice(1).entries())
            expect(displayWidth(rows[index] + row)).toBeGreaterThan(columns)
          expect(displayWidth(cutToWidth(text, columns))).toBeLessThanOrEqual(columns)
        },
      ),
    )
  })
})

describe('splitting behind blanks', () => {
  test('TERM-01 words stay whole where they can, and a row that is full to the end continues a word', () => {
    expect(splitBehindBlanks('rm -rf build/cache x', 12)).toEqual(['rm -rf ', 'build/cache ', 'x'])
    expect(splitBehindBlanks(`echo ${'x'.repeat(12)} y`, 8)).toEqual([
      'echo xxx',
      'xxxxxxxx',
      'x y',
    ])
    expect(splitBehindBlanks('', 8)).toEqual([''])
  })

  test('TERM-01 APPR-16 the rows together are the text, and none is too wide', () => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.constantFrom(' ', '  ', '日本語', '👩‍👩‍👧'),
    )
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 20 }),
        fc.integer({ min: 4, max: 30 }),
        (words, columns) => {
          const text = words.join(' ')
          const rows = splitBehindBlanks(text, columns)
          expect(rows.join('')).toBe(text)
          for (const row of rows) expect(displayWidth(row)).toBeLessThanOrEqual(columns)
        },
      ),
    )
  })

  test('TERM-01 REL-02 a very long line takes linear time', () => {
    const text = 'ab c'.repeat(50_000)
    expect(processorMs(() => expect(splitBehindBlanks(text, 40).join('')).toBe(text))).toBeLessThan(
      2_000,
    )
  })
})

describe('wrapping at words', () => {
  test('CARD-04 rows end at blanks; a word that is too long is split', () => {
    expect(wrapToWidth("Ada's agent wants to run a command in shop-api:", 20)).toEqual([
      "Ada's agent wants to",
      'run a command in',
      'shop-api:',
    ])
    expect(wrapToWidth(`see ${'x'.repeat(12)} y`, 8)).toEqual(['see', 'xxxxxxxx', 'xxxx y'])
    expect(wrapToWidth('', 8)).toEqual([''])
  })

  test('CARD-04 no row is too wide, and nothing but one blank at each break is left out', () => {
    const word = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.constantFrom(' ', '  ', '日本語', '👩‍👩‍👧'),
    )
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 20 }),
        fc.integer({ min: 4, max: 30 }),
        (words, columns) => {
          const text = words.join(' ').replaceAll('\n', ' ')
          const rows = wrapToWidth(text, columns)
          for (const row of rows) expect(displayWidth(row)).toBeLessThanOrEqual(columns)
          const ink = (shown: string) => shown.replaceAll(' ', '')
          expect(ink(rows.join(''))).toBe(ink(text))
          expect(text.length - rows.join('').length).toBeLessThan(rows.length)
        },
      ),
    )
  })
})
