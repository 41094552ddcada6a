import fc from 'fast-check'
import type { Nodes } from 'mdast'
import { describe, expect, test } from 'vitest'
import { openFence, proseLines } from '../../../../src/adapters/chat/render/is-heavy.ts'
import { parseMarkdown } from '../../../../src/adapters/chat/render/render-markdown.ts'

const lines = fc.array(
  fc.constantFrom(
    '```',
    '```ts',
    '````',
    '~~~',
    '~~~~ x',
    ' ```',
    '  ```',
    '   ~~~',
    '    ```',
    '\t```',
    '> ```',
    '- ```',
    '- a',
    '  b',
    '1. a',
    '   c',
    'prose',
    ' prose',
    '',
    ' ',
    '<div>',
    '<!--',
    '-->',
    '</pre>',
    '<pre>',
    '[^1]: x',
    '[a]:',
    '    d',
    '| a |',
    '|---|',
    '``` `',
    'x ```',
    '---',
    '> q',
  ),
  { maxLength: 14 },
)

describe('the lines of markdown that are not code', () => {
  test('REL-02 lines left out are code to the parser too, so that no dense text escapes the count', () => {
    fc.assert(
      fc.property(lines, fc.constantFrom('\n', '\r\n', '\r'), (list, ending) => {
        const markdown = list.join(ending)
        const tree = parseMarkdown(markdown)
        const code = tree === undefined ? [] : codeLines(tree)
        for (const [index, line] of proseLines(markdown).entries()) {
          const isLeftOut = line === '' && (list[index] ?? '').trim() !== ''
          if (isLeftOut) expect(code, `line ${index + 1}`).toContain(index + 1)
        }
      }),
      { numRuns: 5_000 },
    )
  })

  test.each([
    ['```\na\n```\nb', ['```', '', '', 'b']],
    ['~~~~ x\n```\n~~~\n~~~~\nb', ['~~~~ x', '', '', '', 'b']],
    ['```\nnever closed', ['```', '']],
    [
      '1. a\n   ```\n   b\n   ```\n```\nc\n```',
      ['1. a', '   ```', '   b', '   ```', '```', '', ''],
    ],
    [' ```\nx\n```\nb\n```\nc', [' ```', 'x', '```', 'b', '```', 'c']],
    ['<!--\n```\n-->\nb\n```', ['<!--', '```', '-->', 'b', '```']],
  ])('REL-02 of %j they are %j', (markdown, prose) => {
    expect(proseLines(markdown)).toEqual(prose)
  })

  test.each([
    ['a\n```ts\nb', '```ts'],
    ['```\na\n```\nb', undefined],
    ['~~~\n```\n', '~~~'],
    ['', undefined],
  ])('CHAT-04 %j ends in the fence %j', (markdown, fence) => {
    expect(openFence(markdown)).toBe(fence)
  })
})

function codeLines(node: Nodes): number[] {
  if ('children' in node) return node.children.flatMap(codeLines)
  if (node.type !== 'code' || node.position === undefined) return []
  const { start, end } = node.position
  return Array.from({ length: end.line - start.line + 1 }, (_, index) => start.line + index)
}
