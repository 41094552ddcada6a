import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  cutToWidth,
  displayWidth,
  splitToWidth,
} from '../../../../src/edges/chat/render/display-width.ts'

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

  test('TERM-01 rows are never wider than asked, and together they are the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 2, max: 30 }),
        (text, columns) => {
          const rows = splitToWidth(text, columns)
          expect(rows.join('')).toBe(text)
          for (const row of rows) expect(displayWidth(row)).toBeLessThanOrEqual(columns)
          expect(displayWidth(cutToWidth(text, columns))).toBeLessThanOrEqual(columns)
        },
      ),
    )
  })
})
