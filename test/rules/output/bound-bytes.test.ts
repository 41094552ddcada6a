import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundBytes } from '../../../src/rules/output/bound-bytes.ts'

test('OUT-09 a text over the limit loses its middle, which is stated', () => {
  const { text, cut } = boundBytes(`${'a'.repeat(100)}${'z'.repeat(100)}`, 100)
  expect(cut).toBe(true)
  expect(text).toMatch(/^a+\n\[… \d+ characters were not kept …\]\nz+$/)
  expect(Buffer.byteLength(text)).toBeGreaterThan(90)
})

test('OUT-09 the limit counts bytes, not characters', () => {
  const euros = '€'.repeat(100)
  expect(boundBytes(euros, 300)).toEqual({ text: euros, cut: false })
  expect(boundBytes(euros, 299).cut).toBe(true)
  expect(boundBytes('a'.repeat(299), 299).cut).toBe(false)
})

test('OUT-09 a shortened text is within the limit, has no broken character, and is not shortened again', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 400 }),
      fc.integer({ min: 60, max: 300 }),
      (text, most) => {
        const bound = boundBytes(text, most)
        expect(Buffer.byteLength(bound.text)).toBeLessThanOrEqual(most)
        expect(bound.text.isWellFormed()).toBe(true)
        if (!text.includes('\uFFFD')) expect(bound.text).not.toContain('\uFFFD')
        expect(boundBytes(bound.text, most)).toEqual({ text: bound.text, cut: false })
        expect(bound.cut || bound.text === text).toBe(true)
        if (!bound.cut) return
        const [, head = '', left = '', tail = ''] =
          /^(.*)\n\[… (\d+) characters were not kept …\]\n(.*)$/s.exec(bound.text) ?? []
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true)
        expect(head.length + tail.length + Number(left)).toBe(text.length)
      },
    ),
  )
})
