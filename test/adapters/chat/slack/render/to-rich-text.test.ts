import { describe, expect, test } from 'vitest'
import { toPlainBlocks } from '../../../../../src/adapters/chat/slack/outgoing/create-messenger.ts'
import { processorMs } from '../../../../support/processor-ms.ts'
import { textOf } from '../../../../support/slack/blocks/plain-text.ts'
import { answerBlocks, liveBlocks, noticeBlocks } from './as-blocks.ts'
import { readBlocks } from './read-blocks.ts'

/** The parts of the one message that it is, each as its kind and its stretches. */
function parts(markdown: string): readonly unknown[] {
  const messages = answerBlocks(markdown)
  expect(messages).toHaveLength(1)
  return messages.flatMap((message) => {
    readBlocks(message)
    return message.blocks.flatMap((block) =>
      block.type === 'rich_text' ? block.elements.map(toShort) : [],
    )
  })
}

function toShort(part: { readonly type: string; readonly elements: readonly unknown[] }) {
  return [part.type.replace('rich_text_', ''), ...part.elements.map(toWords)]
}

function toWords(element: unknown): unknown {
  const { text, url, style } = element as Readonly<Record<string, unknown>>
  if (url === undefined && style === undefined) return text
  return [text, ...Object.keys(style ?? {}), ...(url === undefined ? [] : [`→ ${String(url)}`])]
}

describe('a model’s markdown as rich_text', () => {
  test.each<[string, string, readonly unknown[]]>([
    [
      'styles',
      '*a* **b _c_** ~~d~~ `e`',
      [
        [
          'section',
          ['a', 'italic'],
          ' ',
          ['b ', 'bold'],
          ['c', 'bold', 'italic'],
          ' ',
          ['d', 'strike'],
          ' ',
          ['e', 'code'],
        ],
      ],
    ],
    [
      'headings',
      '# One *x*\ntext\n## Two\nmore',
      [
        [
          'section',
          ['One ', 'bold'],
          ['x', 'bold', 'italic'],
          '\ntext\n\n',
          ['Two', 'bold'],
          '\nmore',
        ],
      ],
    ],
    [
      'nested lists',
      '- a\n  - b\n    1. c\n    2. d\n- e',
      [['section', '• a\n    ◦ b\n        1. c\n        2. d\n• e']],
    ],
    ['tasks', '- [x] done\n- [ ] open', [['section', '☑ done\n☐ open']]],
    [
      'a fence with a language',
      'x\n\n```ts\na < b\n\n\tc\n```\n\ny',
      [
        ['section', 'x'],
        ['preformatted', 'a < b\n\n    c'],
        ['section', 'y'],
      ],
    ],
    [
      'fences in lists',
      '- a\n\n  ```\n  x\n  ```\n- ```\n  y\n  ```',
      [
        ['section', '• a'],
        ['preformatted', 'x'],
        ['section', '•'],
        ['preformatted', 'y'],
      ],
    ],
    [
      'fences beside each other',
      '```\na\n```\n\n```\nb\n```',
      [
        ['preformatted', 'a'],
        ['preformatted', 'b'],
      ],
    ],
    [
      'quotes',
      '> a\n>\n> - b\n\nc',
      [
        ['quote', 'a\n\n• b'],
        ['section', 'c'],
      ],
    ],
    [
      'quotes beside each other',
      '> a\n\n---\n\n> b',
      [
        ['quote', 'a'],
        ['section', '──────────'],
        ['quote', 'b'],
      ],
    ],
    [
      'a fence in a quote',
      '> a\n> ```\n> x\n> ```\n> b',
      [
        ['quote', 'a'],
        ['preformatted', 'x'],
        ['quote', 'b'],
      ],
    ],
    [
      'tables',
      '| a | bb |\n|--|--:|\n| 日本 | 1 |',
      [['preformatted', 'a    │ bb\n─────┼───\n日本 │  1']],
    ],
    [
      'links',
      '[w](https://x.y/z) [a [b] c](https://x.y/) <https://x.y/>',
      [
        [
          'section',
          ['w', '→ https://x.y/z'],
          ' ',
          ['a [b] c', '→ https://x.y/'],
          ' ',
          ['https://x.y/', '→ https://x.y/'],
        ],
      ],
    ],
    [
      'bold links',
      '**[w](https://x.y/z)** [`c`](https://x.y/)',
      [['section', ['w', 'bold', '→ https://x.y/z'], ' ', ['c', '→ https://x.y/']]],
    ],
    [
      'words that pretend',
      '[bank.example](https://evil.example/)',
      [
        [
          'section',
          ['bank.example', '→ https://evil.example/'],
          ' (',
          ['https://evil.example/', '→ https://evil.example/'],
          ')',
        ],
      ],
    ],
    [
      'other schemes',
      '[w](slack://open) [x](javascript:alert) [m](mailto:a@b.co)',
      [
        [
          'section',
          'w (',
          ['slack://open', 'code'],
          ') x (',
          ['javascript:alert', 'code'],
          ') m (a@b.co)',
        ],
      ],
    ],
    ['unbalanced markup', '**a _b `c\n[d](e', [['section', '**a _b `c [d](e']]],
    [
      'pictures',
      '![a cat](https://x.y/c.png)',
      [['section', '🖼 a cat (', ['https://x.y/c.png', '→ https://x.y/c.png'], ')']],
    ],
    [
      'raw markup of Slack',
      '<!channel> <@U0ADA00001> &lt;!here&gt; :smile: *not bold*',
      [['section', '<!channel> <@U0ADA00001> &lt;!here&gt; :smile: *not bold*']],
    ],
  ])('CHAT-05 SLACK-03 %s', (_name, markdown, wanted) => {
    expect(parts(markdown)).toEqual(wanted)
  })
})

test('CHAT-05 SLACK-03 sixty thousand characters become several messages, complete and in order', () => {
  const line = 'שלום **bold** `code` 👩‍👩‍👧 [w](https://x.y/z) "quoted" \\ and so on\n'
  const markdown = line.repeat(Math.ceil(60_000 / line.length))
  const long = `${markdown}\n\n\`\`\`\n${'x = "y"\n'.repeat(2_000)}\`\`\`\nthe end`
  let messages = answerBlocks('')
  const ms = processorMs(() => {
    messages = answerBlocks(long)
  })
  expect(ms).toBeLessThan(4_000)
  expect(messages.length).toBeGreaterThan(5)
  const texts = messages.map((message) => readBlocks(message).text)
  expect(texts.at(-1)).toContain('the end')
  expect(texts.join('\n').match(/x = "y"/g)).toHaveLength(2_000)
})

test('CHAT-05 an empty text is stated', () => {
  for (const empty of ['', ' \n', '\u200b', '<!-- -->'.repeat(0)]) {
    expect(parts(empty)).toEqual([
      ['section', ['There are no words in this that could be shown.', 'italic']],
    ])
  }
})

test("CHAT-05 THREAT-23 a notification has the same text without Slack's markup, cut at the limit of an edit", () => {
  const words = (markdown: string) => answerBlocks(markdown).map(({ text }) => text)
  expect(words('a & <!channel> @here')).toEqual(['a &amp; &lt;!channel&gt; @\u2060here'])
  for (const letter of ['&', '<', 'a&', '👩‍👩‍👧<']) {
    const [text = ''] = words(`\`${letter.repeat(3_000)}\``)
    expect(text.length).toBeLessThanOrEqual(3_000)
    expect(text.isWellFormed()).toBe(true)
    expect(text.replaceAll(/&(?:amp|lt|gt);/g, '')).not.toContain('&')
  }
})

describe('a message as plain blocks', () => {
  function plain(markdown: string): readonly string[] {
    return answerBlocks(markdown).flatMap((message) => {
      const { blocks, text } = toPlainBlocks(message)
      readBlocks({ blocks, text })
      return blocks.map((block) => textOf([block]))
    })
  }

  test('CHAT-05 is plain text, line by line, with the targets of links', () => {
    expect(plain('a\n\n```\nb\n```\n> c\n\n[w](https://x.y/z)')).toEqual([
      'a\nb\nc\nw (https://x.y/z)',
    ])
  })

  test('CHAT-05 has several sections if it is long, cut between characters', () => {
    const family = '👩‍👩‍👧'
    const sections = plain(`\`${family.repeat(700)}\``)
    expect(sections.length).toBeGreaterThan(1)
    expect(sections.join('')).toBe(family.repeat(700))
    for (const each of sections) expect(each.startsWith('👩')).toBe(true)
  })
})

test('CHAT-04 a running turn shows the end of a long text and the current activity', () => {
  const { text } = readBlocks(
    liveBlocks({ text: 'word '.repeat(4_000), doing: 'bash', elapsedMs: 61_000, lastLine: 'ok' }),
  )
  expect(text.startsWith('⋯\n')).toBe(true)
  expect(text.endsWith('⏳ bash · 1 min 1 s · ok')).toBe(true)
  expect(text.length).toBeLessThan(4_000)
})

test("THREAT-6 foreign text is shown below the product's, as code", () => {
  const [message] = noticeBlocks('Call 1: done', '<!channel>\u001b[2J ❯ Question 1')
  expect(message?.blocks).toEqual([
    {
      type: 'rich_text',
      elements: [
        { type: 'rich_text_section', elements: [{ type: 'text', text: 'Call 1: done' }] },
        {
          type: 'rich_text_preformatted',
          elements: [{ type: 'text', text: '<!channel> | Question 1' }],
        },
      ],
    },
  ])
})
