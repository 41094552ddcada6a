import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type EditedLine,
  editLine,
  emptyLine,
  type Key,
  pasteInto,
} from '../../../../src/adapters/chat/console/edit-line.ts'

function at(text: string): EditedLine {
  return { text: text.replace('|', ''), cursor: text.indexOf('|') }
}

describe('the line being written', () => {
  test.each<[string, Key, string]>([
    ['ab|c', { name: 'backspace' }, 'a|c'],
    ['a|bc', { name: 'delete' }, 'a|c'],
    ['ab|', { name: 'left' }, 'a|b'],
    ['|ab', { name: 'left' }, '|ab'],
    ['ab|', { name: 'right' }, 'ab|'],
    ['a|b', { name: 'home' }, '|ab'],
    ['a|b', { name: 'e', ctrl: true }, 'ab|'],
    ['ab|cd', { name: 'u', ctrl: true }, '|cd'],
    ['ab|cd', { name: 'k', ctrl: true }, 'ab|'],
    ['one two |x', { name: 'w', ctrl: true }, 'one |x'],
    ['one two|', { name: 'b', meta: true }, 'one |two'],
    ['|one two', { name: 'f', meta: true }, 'one| two'],
    ['a|', { name: 'return', meta: true }, 'a\n|'],
    ['👩‍👩‍👧|', { name: 'backspace' }, '|'],
    ['e\u0301|', { name: 'left' }, '|e\u0301'],
    ['a|', { name: 'x', ctrl: true }, 'a|'],
    ['a|', { name: 'f5' }, 'a|'],
  ])('TERM-01 %j and the key %j give %j', (before, key, after) => {
    expect(editLine(at(before), undefined, key)).toEqual(at(after))
  })

  test('TERM-01 typed text goes in at the cursor, without control characters', () => {
    expect(editLine(at('a|c'), 'b\u0007', { name: 'b' })).toEqual(at('ab|c'))
  })

  test('THREAT-24 what is pasted keeps its line breaks, and no other control characters', () => {
    expect(pasteInto(at('a|d'), 'b\r\n\u001bc')).toEqual(at('ab\nc|d'))
  })

  test('TERM-01 whatever keys come, the cursor stays in the line', () => {
    const names = [
      'backspace',
      'delete',
      'left',
      'right',
      'home',
      'end',
      'w',
      'u',
      'k',
      'b',
      'f',
      'return',
    ]
    const key = fc.record({
      name: fc.constantFrom(...names),
      ctrl: fc.boolean(),
      meta: fc.boolean(),
    })
    const stroke = fc.tuple(
      fc.option(fc.string({ unit: 'grapheme', maxLength: 3 }), { nil: undefined }),
      key,
    )
    fc.assert(
      fc.property(fc.array(stroke, { maxLength: 40 }), (strokes) => {
        let line = emptyLine
        for (const [typed, pressed] of strokes) {
          line = editLine(line, typed, pressed)
          expect(line.cursor).toBeGreaterThanOrEqual(0)
          expect(line.cursor).toBeLessThanOrEqual(line.text.length)
        }
      }),
    )
  })
})
