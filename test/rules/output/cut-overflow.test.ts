import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutOverflow, keepEnds } from '../../../src/rules/output/keep-ends.ts'

const reference = '0190f2c4-5a4b-7c3d-8e9f-0123456789ab'

test('OUT-09 a text of exactly the threshold stays unchanged', () => {
  expect(cutOverflow('x'.repeat(100), 100, reference)).toEqual({
    text: 'x'.repeat(100),
    cut: false,
  })
})

test('OUT-09 a longer text becomes head, a line with reference and size, and tail', () => {
  const text = `${'a'.repeat(50)}middle${'z'.repeat(50)}`
  const cut = cutOverflow(text, 100, reference)
  expect(cut.cut).toBe(true)
  expect(cut.text.split('\n')).toEqual([
    'a'.repeat(50),
    `[… 6 of 106 characters left out; read them with overflow:${reference} …]`,
    'z'.repeat(50),
  ])
})

test('OUT-09 surrogate pairs are not split, and the count is exact', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, keep) => {
      const { head, tail, left } = keepEnds(text, keep)
      expect(head.isWellFormed() && tail.isWellFormed()).toBe(true)
      expect(head.length + tail.length + left).toBe(text.length)
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true)
      if (left > 0) expect(head.length + tail.length).toBeLessThanOrEqual(keep)
    }),
  )
})
