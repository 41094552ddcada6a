import fc from 'fast-check'
import { expect, test } from 'vitest'
import { overflowWindow } from '../../../../src/core/call/output/show-overflow.ts'

const whole = { offset: 0, limit: 500, column: 0, room: 100 }

test('OUT-09 a window has the wanted lines, and says nothing more where there was room for them', () => {
  const rows = ['one', 'two', 'three', 'four']
  expect(overflowWindow(rows, { ...whole, offset: 1, limit: 2 })).toEqual({
    text: 'two\nthree',
    count: 2,
    next: undefined,
  })
})

test('OUT-09 what there is no room for is not cut away: the window says where to go on', () => {
  const rows = Array.from({ length: 10 }, (_, at) => `${at}`.repeat(30))
  const { text, count, next } = overflowWindow(rows, { ...whole, offset: 2 })
  expect(text.split('\n')).toEqual(rows.slice(2, 5))
  expect(count).toBe(3)
  expect(next).toBe('[no room for more: go on with offset 5]')
})

test('OUT-09 a line that no window has room for is read in parts', () => {
  const rows = [`${'a'.repeat(100)}${'b'.repeat(100)}c`, 'next']
  const first = overflowWindow(rows, whole)
  expect(first.text).toBe('a'.repeat(100))
  expect(first.next).toBe('[this line goes on, up to 201 characters: offset 0, column 100]')
  expect(overflowWindow(rows, { ...whole, column: 100 }).text).toBe('b'.repeat(100))
  expect(overflowWindow(rows, { ...whole, column: 200 })).toEqual({
    text: 'c\nnext',
    count: 2,
    next: undefined,
  })
})

test('OUT-09 beyond the end there is nothing', () => {
  expect(overflowWindow(['a'], { ...whole, offset: 1 })).toMatchObject({ count: 0, text: '' })
  expect(overflowWindow(['a'], { ...whole, column: 9 })).toMatchObject({ count: 1, text: '' })
})

test('OUT-09 whoever goes on as each window says reads every text to its end, whatever its lines are', () => {
  const text = fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 12 })
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 30 }), (lines, room) => {
      const rows = lines.join('\n').split('\n')
      let read = ''
      let at = { offset: 0, column: 0 }
      for (let windows = 0; ; windows += 1) {
        expect(windows).toBeLessThan(2_000)
        const window = overflowWindow(rows, { ...at, limit: 500, room })
        expect(window.text.length).toBeLessThanOrEqual(Math.max(room, 2))
        expect(window.text.isWellFormed()).toBe(true)
        read += window.text
        if (window.next === undefined) break
        const [, offset, column] = /offset (\d+)(?:, column (\d+))?\]$/.exec(window.next) ?? []
        if (column === undefined) read += '\n'
        at = { offset: Number(offset), column: Number(column ?? 0) }
      }
      expect(read).toBe(lines.join('\n'))
    }),
  )
})
