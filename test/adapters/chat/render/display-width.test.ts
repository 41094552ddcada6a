import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  cutToWidth,
  displayWidth,
  splitToWidth,
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
