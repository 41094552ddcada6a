import fc from 'fast-check'
import type { Code } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { expect, test } from 'vitest'
import { findFencedBlocks } from '../../../../src/adapters/model/answer/fenced-blocks.ts'
import { parseTextCalls } from '../../../../src/adapters/model/answer/text-calls.ts'
import type { ModelTool } from '../../../../src/ports/model.ts'
import { anyCharacter } from '../../../support/run/any-character.ts'

const tool = (name: string, block?: ModelTool['block']): ModelTool => ({
  name,
  description: '',
  schema: {},
  ...(block !== undefined && { block }),
})
const offered = [
  tool('bash', { mark: 'bash', argument: 'command' }),
  tool('web_scrape', { mark: 'scrape' }),
  tool('read'),
]
const fence = '```'
const parse = (text: string) => parseTextCalls(text, offered)
const told = (text: string) => parse(text).calls.map(({ tool, arguments: args }) => [tool, args])

test('MODEL-02 bash, scrape and JSON blocks of one answer are calls in their order, and the rest is spoken', () => {
  const text = `First I look.

${fence}bash
cd src && ls
# twice
${fence}

${fence}scrape
{"url": "https://example.com", "select": "h1"}
${fence}
Then I read.
~~~~json
{"tool": "read", "arguments": {"path": "a.txt"}}
~~~~
${fence}json
{"name": "odd", "arguments": {}}
${fence}
Done.`
  expect(parse(text)).toEqual({
    calls: [
      {
        id: 'text_1',
        tool: 'bash',
        arguments: '{"command":"cd src && ls\\n# twice"}',
        inText: true,
      },
      {
        id: 'text_2',
        tool: 'web_scrape',
        arguments: '{"url": "https://example.com", "select": "h1"}',
        inText: true,
      },
      { id: 'text_3', tool: 'read', arguments: '{"path":"a.txt"}', inText: true },
      { id: 'text_4', tool: 'odd', arguments: '{}', inText: true },
    ],
    remainingText: 'First I look.\n\n\n\n\nThen I read.\n\n\nDone.',
  })
})

test.each([
  ['one that was cut off', `${fence}bash\nrm -rf build`],
  ['one whose fence is shorter than its beginning', `${fence}\`bash\nls\n${fence}`],
  ['one inside another', `${fence}\`markdown\n${fence}bash\nls\n${fence}\n${fence}\``],
  ['one inside a block that never ends', `~~~text\n${fence}bash\nls\n${fence}`],
  ['one in a quote', `> ${fence}bash\n> ls\n> ${fence}`],
  ['one in a list', `- so:\n  ${fence}bash\n  ls\n  ${fence}`],
  ['one in a block of a list', `- so:\n  ${fence}\n${fence}bash\n  ${fence}`],
  ['indented code', `    ${fence}bash\n    ls\n    ${fence}`],
  ['code within a line', `${fence}bash ls${fence}`],
  ['another language', `${fence}sh\nls\n${fence}`],
  ['one with more words behind the language', `${fence}bash title="an example"\nls\n${fence}`],
  ['JSON that is no call', `${fence}json\n{"name": "x", "version": "1"}\n${fence}`],
  [
    'JSON with more in it than a call',
    `${fence}json\n{"tool":"read","arguments":{},"x":1}\n${fence}`,
  ],
  ['broken JSON that is no call', `${fence}json\n{"a": \n${fence}`],
])('MODEL-02 %s is no call', (_what, text) => {
  expect(parse(text)).toEqual({ calls: [], remainingText: text.trim() })
})

test('MODEL-02 what is not offered is no call by its mark', () => {
  const text = `${fence}bash\nls\n${fence}\n${fence}scrape\n{}\n${fence}`
  expect(parseTextCalls(text, [tool('read')]).calls).toEqual([])
})

test('MODEL-02 ERR-04 a call whose JSON is broken is one with wrong arguments, so that the model is told', () => {
  const text = `${fence}json\n{"tool": "read", "arguments": {"path": "a"}\n${fence}`
  expect(told(text)).toEqual([['read', '{"tool": "read", "arguments": {"path": "a"}']])
})

test('MODEL-02 line ends of every kind', () => {
  expect(told(`${fence}bash\r\nls\r\npwd\r\n${fence}\r\n`)).toEqual([
    ['bash', '{"command":"ls\\r\\npwd"}'],
  ])
  expect(told(`${fence}bash\n${fence}`)).toEqual([['bash', '{"command":""}']])
})

test('MODEL-02 behind a fence that may have ended the list of another, nothing is believed', () => {
  const text = '- a\n  ```\n ```\n```bash\nrm -rf .\n```'
  expect(findFencedBlocks(text)).toEqual([])
})

test('MODEL-02 whatever is written, blocks are found where CommonMark finds them, and never more', () => {
  const piece = fc.constantFrom(
    ...['```', '````', '~~~', '```bash', '~~~json', ' ```', '    ```', '> ```', '- a', '  ```'],
    ...['ls', '', '```x`', '``` bash', '~~~ a`', '{"tool":"read","arguments":{}}', '\t```'],
  )
  const text = fc.array(piece, { maxLength: 14 }).map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(text, (markdown) => {
      const known = fromMarkdown(markdown)
        .children.filter((node): node is Code => node.type === 'code')
        .map(({ position }) => position?.start.offset)
      const found = findFencedBlocks(markdown).map(({ start }) => start)
      expect(known).toEqual(expect.arrayContaining(found))
    }),
    { numRuns: 300 },
  )
})

test('MODEL-02 any text is read without harm, and what is remainingText is what is left of it', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (text) => {
      const { calls, remainingText } = parse(text)
      if (calls.length === 0) expect(remainingText).toBe(text.trim())
    }),
  )
})
