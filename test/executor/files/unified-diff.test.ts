import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unifiedDiff } from '../../../src/executor/files/unified-diff.ts'

const line = fc.constantFrom('a\n', 'b\n', 'c\n', 'a\r\n', '\n', '-x\n', '+y\n', '\\ No\n', '@@\n')
const text = fc
  .tuple(fc.array(line, { maxLength: 40 }), fc.constantFrom('', 'end', '\r'))
  .map(([lines, end]) => lines.join('') + end)

test('FILE-06 a diff applied to the old text gives the new text', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(applyDiff(before, unifiedDiff('f', before, after))).toBe(after)
    }),
    { numRuns: 2000 },
  )
})

test('FILE-06 texts too different for the shortest diff still get a correct one', () => {
  const before = Array.from({ length: 3000 }, (_, index) => `old ${index}\n`).join('')
  const after = Array.from({ length: 3000 }, (_, index) => `new ${index}\n`).join('')
  expect(applyDiff(before, unifiedDiff('f', before, after))).toBe(after)
})

test('FILE-06 equal texts have no diff', () => {
  expect(unifiedDiff('f', 'a\nb', 'a\nb')).toBe('')
})

test('FILE-06 a new file is a diff from /dev/null', () => {
  expect(unifiedDiff('f', undefined, 'a\nb')).toBe(
    '--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n',
  )
})

test('FILE-06 hunks show three lines of context', () => {
  const before = Array.from({ length: 20 }, (_, index) => `${index}\n`).join('')
  expect(unifiedDiff('f', before, before.replace('10\n', 'ten\n'))).toBe(
    '--- a/f\n+++ b/f\n@@ -8,7 +8,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n',
  )
})

/** Applies a unified diff strictly: line numbers, counts and every context line must match. */
function applyDiff(before: string, diff: string): string {
  if (diff === '') return before
  const source = before.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const lines = diff.split('\n').slice(2, -1)
  const result: string[] = []
  let at = 0
  let index = 0
  while (index < lines.length) {
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$/.exec(lines[index++] ?? '')
    if (head === null) throw new Error('not a hunk')
    let remove = Number(head[2] ?? 1)
    let add = Number(head[4] ?? 1)
    const from = Number(head[1]) - (remove === 0 ? 0 : 1)
    result.push(...source.slice(at, from))
    at = from
    expect(result.length).toBe(Number(head[3]) - (add === 0 ? 0 : 1))
    while (remove > 0 || add > 0) {
      const shown = lines[index++] ?? ''
      const isLast = lines[index] === '\\ No newline at end of file'
      if (isLast) index++
      const content = shown.slice(1) + (isLast ? '' : '\n')
      if (shown[0] !== '+') {
        expect(source[at++]).toBe(content)
        remove--
      }
      if (shown[0] !== '-') {
        result.push(content)
        add--
      }
    }
  }
  return [...result, ...source.slice(at)].join('')
}
