import fc from 'fast-check'
import { expect, test } from 'vitest'
import { replaceText } from '../../../src/executor/files/tools/edit-file.ts'

const piece = fc
  .array(fc.constantFrom('a', 'b', '$&', '\n', '\\', '$1', 'é'), { maxLength: 12 })
  .map((parts) => parts.join(''))

test('FILE-06 edit is exact string replacement', () => {
  fc.assert(
    fc.property(piece, piece, piece, fc.boolean(), (text, from, to, all) => {
      const edited = replaceText(text, from, to, all)
      const count = from === '' ? 0 : text.split(from).length - 1
      const isPossible = from !== '' && from !== to && (count === 1 || (count > 1 && all))
      expect(edited.kind).toBe(isPossible ? 'replaced' : 'refused')
      if (edited.kind === 'replaced') {
        expect(edited.text).toBe(text.split(from).join(to))
        expect(edited.count).toBe(count)
      }
    }),
    { numRuns: 3000 },
  )
})

test('FILE-06 in a CRLF file the line ends of both strings are CRLF', () => {
  fc.assert(
    fc.property(piece, piece, piece, (text, from, to) => {
      const crlf = (part: string): string => part.replaceAll('\n', '\r\n')
      const file = `${crlf(text)}\r\n`
      const edited = replaceText(file, from, to, true)
      if (from === '' || from === to || !file.includes(crlf(from))) {
        expect(edited.kind).toBe('refused')
      } else {
        expect(edited).toMatchObject({ text: file.split(crlf(from)).join(crlf(to)) })
      }
    }),
  )
})

test('FILE-06 several matches are counted and their lines listed', () => {
  const edited = replaceText('x\na\nb\na\na a\n', 'a', 'c', false)
  expect(edited).toMatchObject({
    kind: 'refused',
    why: expect.stringMatching(/4 times.*lines 2, 4, 5, 5/),
  })
})

test('FILE-06 a match over several lines is listed by its first', () => {
  const edited = replaceText('a\nb\na\nb\n', 'a\nb\n', 'c', false)
  expect(edited).toMatchObject({ why: expect.stringMatching(/2 times.*lines 1, 3/) })
})

test('FILE-06 a missing final newline stays missing', () => {
  expect(replaceText('a\nb', 'a', 'c', false)).toMatchObject({ text: 'c\nb' })
})

test('FILE-06 a replacement beyond the size limit is refused before it is made', () => {
  const edited = replaceText('a'.repeat(1_000_000), 'a', 'b'.repeat(1_000), true)
  expect(edited).toMatchObject({ kind: 'refused', why: expect.stringContaining('1000000000') })
})
