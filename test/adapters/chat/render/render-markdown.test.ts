import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { describe, expect, test } from 'vitest'
import { displayWidth } from '../../../../src/adapters/chat/render/display-width.ts'
import { createPaints } from '../../../../src/adapters/chat/render/paint.ts'
import {
  isProse,
  parseMarkdown,
  renderMarkdown,
} from '../../../../src/adapters/chat/render/render-markdown.ts'
import { processorMs } from '../../../support/processor-ms.ts'
import { anyCharacter } from '../../../support/run/any-character.ts'

const colored = createPaints(true)
const plain = createPaints(false)

function render(markdown: string, columns = 60): string {
  return renderMarkdown(markdown, columns, plain)
}

describe('markdown in a terminal', () => {
  test.each([
    ['headings', '# One\n\n### Three *x*', '# One\n\n### Three x'],
    ['paragraphs and breaks', 'a\nb\\\nc\n\nd', 'a b\nc\n\nd'],
    ['nested lists', '- a\n  - b\n    1. c\n    2. d\n- e', '• a\n  • b\n    1. c\n    2. d\n• e'],
    ['lists that start elsewhere', '7. a\n8. b', '7. a\n8. b'],
    ['loose lists', '- a\n\n- b\n\n  more', '• a\n\n• b\n\n  more'],
    ['tasks', '- [x] done\n- [ ] open', '• [x] done\n• [ ] open'],
    [
      'fences with their language',
      '```ts\nconst a = 1\n\n\tb\n```',
      '  ts:\n  const a = 1\n\n      b',
    ],
    ['fences in lists', '- a\n\n  ```\n  x\n  ```', '• a\n\n    x'],
    ['quotes', '> a\n>\n> - b', '│ a\n│\n│ • b'],
    ['links', '[words](https://x.y/z) <https://a.b>', 'words (https://x.y/z) https://a.b'],
    ['links by reference', '[words][r]\n\n[r]: https://x.y', 'words (https://x.y)'],
    ['pictures', '![a cat](https://x.y/c.png)', '[a cat] (https://x.y/c.png)'],
    ['emphasis', '*a* **b** ~~c~~ `d  e` **f*g*h**.', 'a b c d e fgh.'],
    ['footnotes', 'a[^1]\n\n[^1]: b', 'a[1]\n\n[1] b'],
    ['raw HTML as words', '<b>a</b>\n\n<div>\nx\n</div>', '<b>a</b>\n\n<div>\nx\n</div>'],
    ['rules', 'a\n\n---\n\nb', `a\n\n${'─'.repeat(40)}\n\nb`],
    [
      'tables',
      '| a | bb | c |\n|--|--:|:-:|\n| 日本 | 1 | x |\n| **y** | 22 | long |',
      'a    │ bb │  c\n─────┼────┼─────\n日本 │  1 │  x\ny    │ 22 │ long',
    ],
    [
      'tables that are too wide',
      `| k | v |\n|-|-|\n| a | ${'w'.repeat(70)} |`,
      `k: a\nv: ${'w'.repeat(70)}`,
    ],
  ])('CHAT-05 %s', (_name, markdown, shown) => {
    expect(render(markdown)).toBe(shown)
  })

  test('CHAT-05 styles are put on and taken off on every line', () => {
    const text = renderMarkdown(
      '**bold words that are wrapped to rows** `code`\n\n> *x*',
      20,
      colored,
    )
    expect(text).toContain('\u001b[1mbold\u001b[22m')
    expect(text).toContain('\u001b[36mcode\u001b[39m')
    expect(stripVTControlCharacters(text)).toBe('bold words that are\nwrapped to rows code\n\n│ x')
  })

  test('CHAT-05 running text is wrapped at blanks to the width of the terminal', () => {
    const words = fc.array(
      fc
        .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 })
        .map((word) => word.replaceAll(/[^a-z]/g, 'a')),
      { minLength: 1, maxLength: 60 },
    )
    fc.assert(
      fc.property(words, fc.integer({ min: 30, max: 90 }), (list, columns) => {
        const text = render(`- ${list.join(' ')}`, columns)
        expect(text.replaceAll(/\s+/g, ' ')).toBe(`• ${list.join(' ')}`)
        for (const row of text.split('\n')) expect(displayWidth(row)).toBeLessThanOrEqual(columns)
      }),
    )
  })

  test('CHAT-05 markdown of any model cannot control the terminal or forge a card', () => {
    const parts = [
      '&#27;[2J',
      '&#x1b;',
      '&#x9b;',
      '&#x2590;',
      '&#13;',
      '&#x202e;',
      '&NewLine;',
      '\u001b[1m',
      '❯ ? 1',
      '*',
      '_',
      '`',
      '```\n',
      '[a](',
      ')',
      '[',
      ']',
      '|',
      '\n',
      '\n\n',
      '> ',
      '- ',
      '1. ',
      '# ',
      '---',
      '<b>',
      '~~',
      ' ',
      'word',
      '\\',
      '![',
      '[^1]',
      '[^1]: ',
      '&#0;',
      '\u009d8;;x\u009c',
      'http://x.y/\u202e',
      'www.x.y',
    ]
    const markdown = fc.oneof(
      fc.array(fc.constantFrom(...parts), { maxLength: 40 }).map((list) => list.join('')),
      fc.string({ unit: anyCharacter }),
    )
    fc.assert(
      fc.property(markdown, fc.integer({ min: 1, max: 100 }), (text, columns) => {
        const shown = render(text, columns)
        expect(shown).not.toMatch(/(?!\n)\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069❯]/u)
        // With colour there are styles, and nothing else.
        // biome-ignore lint/suspicious/noControlCharactersInRegex: styles are what it takes away
        const unstyled = renderMarkdown(text, columns, colored).replaceAll(/\u001b\[\d+m/g, '')
        expect(unstyled.replaceAll(/ +$/gm, '')).toBe(shown.replaceAll(/ +$/gm, ''))
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['*a_', 'emphasis'],
    ['[a](', 'links'],
    ['> ', 'quotes'],
    ['1. ', 'lists'],
    ['~~a', 'strikes'],
    ['![', 'pictures'],
  ])('REL-02 thirty kilobytes of %j are shown as plain text, not parsed for minutes', (part) => {
    const text = part.repeat(10_000)
    expect(processorMs(() => expect(render(text)).toBe(text))).toBeLessThan(5_000)
  })

  test.each([
    ['headings by underline', 'a\n=\n'.repeat(7_500)],
    ['quotes opened again and again', '> > > > > > > > > a\n\n'.repeat(1_300)],
    [
      'emphasis behind a fence that only seems to be open',
      ` \`\`\`\nx\n\`\`\`\n${'*a_'.repeat(9_000)}\n\`\`\``,
    ],
    ['emphasis behind a carriage return', `\`\`\`\r\`\`\`\r${'*a_'.repeat(9_000)}\n\`\`\``],
  ])('REL-02 %s take little time', (_name, text) => {
    expect(processorMs(() => render(text))).toBeLessThan(4_000)
  })

  test('CHAT-05 a row of a table may have more cells than its header', () => {
    expect(render('| a |\n|-|\n| b | c |')).toBe('a │\n──┼──\nb │ c')
  })

  test('CHAT-05 a long answer with much code is rendered', () => {
    const code = 'a[i] = *b[j];\n'.repeat(300)
    expect(render(`# Title\n\n\`\`\`c\n${code}\`\`\`\n\n**end**`)).toMatch(
      /^# Title\n\n {2}c:\n {2}a\[i\][\s\S]*\nend$/,
    )
  })
})

describe('paragraphs of plain words', () => {
  const word = fc.constantFrom(
    ...[
      'Hello',
      'I',
      'can',
      'é',
      '日本',
      'x1',
      '12',
      '1.',
      '2)',
      '-',
      '=',
      '==',
      '---',
      '+',
      '$a$',
    ],
    ...['www.a.b', 'a@b.cd', 'http://a.b', 'mailto:a', '(c)', '“so”', 'a-b', "it's", 'end.', '`x`'],
    ...[
      '*b*',
      '_b_',
      '~b~',
      '[a]',
      '#',
      '>',
      '|',
      '&amp;',
      '<b>',
      '\\',
      ':',
      '!',
      '\u00a0',
      '\u200b',
    ],
  )
  const text = fc
    .array(fc.tuple(word, fc.constantFrom(' ', ' ', ' ', '  ', '', '\n', '\n\n', '\n    ', '\t')))
    .map((pieces) => pieces.flat().join(''))

  test('SHIP-07 are read without the parser, and as the parser reads them', () => {
    const answer =
      'Hello, Ada! I can read and write files.\nWhat shall I do?\n\nSay it: “ls” (or so).'
    expect(isProse(answer)).toBe(true)
    fc.assert(
      fc.property(fc.oneof(fc.constant(answer), text), (markdown) => {
        fc.pre(isProse(markdown))
        const parsed = fromMarkdown(markdown, {
          extensions: [gfm()],
          mdastExtensions: [gfmFromMarkdown()],
        })
        expect(parseMarkdown(markdown)).toEqual(withoutPositions(parsed))
      }),
      { numRuns: 3_000 },
    )
  })
})

function withoutPositions(tree: unknown): unknown {
  return JSON.parse(JSON.stringify(tree, (key, value) => (key === 'position' ? undefined : value)))
}
