import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPaints } from '../../../../../src/adapters/chat/render/paint.ts'
import { toPrintable } from '../../../../../src/adapters/chat/render/printable.ts'
import { renderMarkdown } from '../../../../../src/adapters/chat/render/render-markdown.ts'
import { run } from '../../../../../src/adapters/chat/render/runs/run.ts'
import { makeInert } from '../../../../../src/adapters/chat/telegram/render/defuse.ts'
import { toPlain } from '../../../../../src/adapters/chat/telegram/render/to-plain.ts'
import { processorMs } from '../../../../support/processor-ms.ts'
import { noticeHtml, toTelegramHtml } from './as-html.ts'
import { nastyMarkdown } from './nasty-markdown.ts'
import { livePings, readMessage } from './read-message.ts'
import { visibleWords } from './visible-words.ts'

function only(messages: readonly string[]): string {
  expect(messages).toHaveLength(1)
  return messages[0] ?? ''
}

describe('a model’s markdown as Telegram’s HTML', () => {
  test.each([
    ['headings', '# One *x*\ntext\n## Two\nmore', '<b>One <i>x</i></b>\ntext\n\n<b>Two</b>\nmore'],
    ['paragraphs and breaks', 'a\nb\\\nc\n\nd', 'a b\nc\n\nd'],
    ['styles', '*a* **b _c_** ~~d~~ `e`', '<i>a</i> <b>b <i>c</i></b> <s>d</s> <code>e</code>'],
    ['code in bold, alone', '**a `b` c**', '<b>a </b><code>b</code><b> c</b>'],
    [
      'nested lists',
      '- a\n  - b\n    1. c\n    2. d\n- e',
      '• a\n    ◦ b\n        1. c\n        2. d\n• e',
    ],
    ['lists that start elsewhere', '7. a\n8. b', '7. a\n8. b'],
    ['loose lists', '- a\n\n- b\n\n  more', '• a\n\n• b\n\n    more'],
    ['tasks', '- [x] done\n- [ ] open\n\n1. [x] first', '☑ done\n☐ open\n\n1. ☑ first'],
    [
      'fences',
      '```ts\na < b\n\n\tc\n```',
      '<pre><code class="language-ts">a &lt; b\n\n    c</code></pre>',
    ],
    ['fences without language', 'x\n\n```\na\n```', 'x\n<pre>a</pre>'],
    ['fences of no known letters', '```"><b>\na\n```', '<pre>a</pre>'],
    [
      'fences in lists',
      '- a\n\n  ```\n  x\n  ```\n- ```\n  y\n  ```',
      '• a\n<pre>x</pre>\n•\n<pre>y</pre>',
    ],
    ['quotes', '> a\n>\n> - b', '<blockquote>a\n\n• b</blockquote>'],
    ['quotes in quotes', '> a\n> > b\n> > c\n>\n> d', '<blockquote>a\n\n│ b c\n\nd</blockquote>'],
    [
      'quotes beside each other',
      '> a\n\n<!-- -->\n\n> b',
      '<blockquote>a</blockquote>\n&lt;!-- --&gt;\n<blockquote>b</blockquote>',
    ],
    [
      'pictures',
      '![a cat](https://x.y/c.png)',
      '🖼 a cat (<a href="https://x.y/c.png">https://x.y/c.png</a>)',
    ],
    ['footnotes', 'a[^1]\n\n[^1]: b', 'a[1]\n\n[1] b'],
    [
      'raw HTML as words',
      '<b>a</b>\n\n<div>\nx\n</div>',
      '&lt;b&gt;a&lt;/b&gt;\n\n&lt;div&gt;\nx\n&lt;/div&gt;',
    ],
    ['rules', 'a\n\n---\n\nb', 'a\n\n──────────\n\nb'],
    ['tables', '| a | bb |\n|--|--:|\n| 日本 | 1 |', '<pre>a    │ bb\n─────┼───\n日本 │  1</pre>'],
    [
      'tables that are too wide',
      `| k | v |\n|-|-|\n| a | ${'w'.repeat(70)} |\n| b | c |`,
      `<b>k:</b> a\n<b>v:</b> ${'w'.repeat(70)}\n\n<b>k:</b> b\n<b>v:</b> c`,
    ],
    [
      'tables with links',
      '| k |\n|-|\n| [a](https://x.y/) |',
      '<b>k:</b> <a href="https://x.y/">a</a>',
    ],
  ])('CHAT-05 %s', (_name, markdown, html) => {
    expect(only(toTelegramHtml(markdown))).toBe(html)
    readMessage(html)
  })

  test.each([
    ['words', '[here](https://x.y/z?a=1&b)', '<a href="https://x.y/z?a=1&amp;b">here</a>'],
    ['the address itself', '<https://x.y/z>', '<a href="https://x.y/z">https://x.y/z</a>'],
    ['its host', '[x.y](https://x.y/)', '<a href="https://x.y/">x.y</a>'],
    [
      'another host',
      '[google.com](https://e.v/)',
      '<a href="https://e.v/">google.com</a> (<a href="https://e.v/">https://e.v/</a>)',
    ],
    ['its letters, decoded', '<https://x.y/ü>', '<a href="https://x.y/%C3%BC">https://x.y/ü</a>'],
    [
      'letters of another alphabet',
      '<https://\u0430pple.com/>',
      '<a href="https://xn--pple-43d.com/">https://\u0430pple.com/</a> (<a href="https://xn--pple-43d.com/">https://xn--pple-43d.com/</a>)',
    ],
    ['code', '[`x`](https://x.y/)', '<a href="https://x.y/">x</a>'],
    [
      'a picture',
      '[![c](https://p.q/)](https://x.y/)',
      '<a href="https://x.y/">🖼 c (https://p.q/)</a> (<a href="https://x.y/">https://x.y/</a>)',
    ],
    ['no words', '[](https://x.y/)', '(<a href="https://x.y/">https://x.y/</a>)'],
    ['a person', '[Ada](tg://user?id=5)', 'Ada (<code>tg://user?id=5</code>)'],
    ['a script', '[x](javascript:alert`1`)', 'x (<code>javascript:alert`1`</code>)'],
    ['a file', '[main.ts](src/main.ts)', 'main.ts (<code>src/main.ts</code>)'],
    ['a mail address', '[write](mailto:a@b.co) <c@d.co>', 'write (a@b.co) c@d.co'],
    ['this machine', '[x](http://localhost:3000/)', 'x (<code>http://localhost:3000/</code>)'],
    ['somebody’s password', '[x](https://x.y@e.v/)', 'x (<code>https://x.y@e.v/</code>)'],
    ['a definition', '[a][r]\n\n[r]: https://x.y/', '<a href="https://x.y/">a</a>'],
  ])('CHAT-05 a link with %s', (_name, markdown, html) => {
    expect(only(toTelegramHtml(markdown))).toBe(html)
    readMessage(html)
  })

  test.each([
    ['hello @ada_l!', 'hello <code>@ada_l</code>!'],
    ['**to @ada**', '<b>to </b><code>@ada</code>'],
    ['@*ada*', '<code>@ada</code>'],
    ['> @ada', '<blockquote><code>@ada</code></blockquote>'],
    ['tap /approve or /deny@a_bot 7', 'tap <code>/approve</code> or <code>/deny@a_bot</code> 7'],
    ['a@b.co and/or /etc/passwd 1/2 @ / x', 'a@b.co and/or /etc/passwd 1/2 @ / x'],
    ['https://x.y/@ada', '<a href="https://x.y/@ada">https://x.y/@ada</a>'],
  ])('THREAT-23 CHAT-05 %j neither pings nor can be tapped', (markdown, html) => {
    expect(only(toTelegramHtml(markdown))).toBe(html)
  })

  test('THREAT-23 the middle of a word that comes to begin a message is no command either', () => {
    const messages = toTelegramHtml(`${'a'.repeat(3_840)}/approve.${'b'.repeat(300)}`)
    expect(messages[1]).toMatch(/^<code>\/approve<\/code>\.b/)
  })

  test('CHAT-05 whatever a model writes, Telegram takes it, all its words are there, and nothing is forged', () => {
    fc.assert(
      fc.property(nastyMarkdown, (markdown) => {
        const read = toTelegramHtml(markdown).map(readMessage)
        expect(read.length).toBeGreaterThan(0)
        for (const { text, entities } of read) {
          expect(text).not.toMatch(/(?!\n)\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b❯]/u)
          expect(livePings(text, entities)).toEqual([])
          for (const { type } of entities) expect(type).not.toBe('text_mention')
        }
        const all = read.map(({ text }) => text.replaceAll(/[\s\u2800]/g, '')).join('')
        let from = 0
        for (const word of visibleWords(markdown)) {
          const at = all.indexOf(word, from)
          expect(at, word).toBeGreaterThanOrEqual(0)
          // A table may say the name of a column again in each of its rows.
          if (!markdown.includes('|')) from = at + word.length
        }
      }),
      { numRuns: 300 },
    )
  }, 120_000)

  test('CHAT-05 long prose is split between paragraphs, and a heading stays with its text', () => {
    const paragraph = 'word '.repeat(300).trim()
    const markdown = `${paragraph}\n\n${paragraph}\n\n# Head\n\n${paragraph}`
    expect(toTelegramHtml(markdown)).toEqual([
      `${paragraph}\n\n${paragraph}`,
      `<b>Head</b>\n${paragraph}`,
    ])
  })

  test('CHAT-05 a long paragraph is split between words, a long word between characters', () => {
    const words = Array.from({ length: 1_500 }, (_, index) => `w${index}`).join(' ')
    const parts = toTelegramHtml(`**${words}**`).map((html) => readMessage(html).text)
    expect(parts.join(' ')).toBe(words)
    for (const family of ['👩‍👩‍👧', '🇩🇪', 'e\u0301', '👍🏽']) {
      const split = toTelegramHtml(`x${family.repeat(3_000)}`).map((html) => readMessage(html).text)
      expect(split.length).toBeGreaterThan(1)
      expect(split.join('')).toBe(`x${family.repeat(3_000)}`)
      for (const text of split) expect(text.replaceAll(family, '')).toMatch(/^x?$/)
    }
  })

  test('CHAT-05 a fence that must be split is closed, and opened again in its language', () => {
    const code = Array.from({ length: 800 }, (_, index) => `  line ${index} = "<&>";`).join('\n')
    const messages = toTelegramHtml(`Before\n\n\`\`\`c\n${code}\n\`\`\`\n\nAfter`)
    expect(messages.length).toBeGreaterThan(2)
    const fences = messages
      .map((html) => readMessage(html))
      .flatMap(({ text, entities }) =>
        entities.map((entity) => {
          expect(entity).toMatchObject({ type: 'pre', language: 'c' })
          return text.slice(entity.offset, entity.offset + entity.length)
        }),
      )
    expect(fences.join('\n')).toBe(code)
    expect(messages[0]).toMatch(/^Before\n<pre>/)
  })

  test('CHAT-05 a fence that fits into a message is not split for what stands before it', () => {
    const code = 'x = 1\n'.repeat(350)
    const messages = toTelegramHtml(`${'word '.repeat(500)}\n\n\`\`\`c\n${code}\`\`\``)
    expect(messages).toHaveLength(2)
    expect(messages[1]).toMatch(/^<pre><code class="language-c">x = 1\n[^<]*<\/code><\/pre>$/)
  })

  test('TG-05 more styles than Telegram shows in a message go into several', () => {
    const messages = toTelegramHtml('**a** `b` '.repeat(90))
    expect(messages.length).toBeGreaterThan(1)
    const kinds = messages.flatMap((html) => readMessage(html).entities.map(({ type }) => type))
    expect(kinds).toEqual(Array.from({ length: 90 }, () => ['bold', 'code']).flat())
  })

  test('TG-05 addresses count: what would be too long as plain text is split', () => {
    const markdown = `[a](https://x.y/${'z'.repeat(1_500)}) `.repeat(20)
    const plain = toTelegramHtml(markdown).map(toPlain)
    expect(plain.join(' ').match(/z\)/g)).toHaveLength(20)
  })

  test.each(['', ' \n ', '\u200b', '```\n\n```', '[r]: https://x.y', '\u2800\u2800'])(
    'TG-05 of %j, in which nothing can be seen, a message says so',
    (markdown) => {
      expect(only(toTelegramHtml(markdown))).toBe(only(noticeHtml('')))
      readMessage(only(noticeHtml('')))
    },
  )

  test.each([
    '*a_',
    '[a](',
    '> ',
    '1. ',
    '~~a',
    '![',
    '@a ',
    '/a/a',
    '@_@',
    '\n \n',
    '`a',
    '| a ',
    'a\n|-|\n',
    'a\n=\n',
    '- a\n\n',
    '> > > > > a\n\n',
    ' ```\nx\n```\n*a_',
    '<a ',
    '\u0301',
    '&lt;',
    '😀*',
    '`a` @bb ',
    '`a` ',
    'x <!--',
    'x <?',
    'x <!A ',
    'x <![CDATA[',
    '<a b="',
    '日本語 ',
    '| c | @d ',
  ])('REL-02 thirty kilobytes of %j take no time to speak of', (part) => {
    const text = part.repeat(30_000 / part.length)
    let messages: readonly string[] = []
    const ms = processorMs(() => {
      messages = toTelegramHtml(text)
    })
    expect(ms).toBeLessThan(4_000)
    for (const html of messages) readMessage(html)
  })
})

test.each([
  ['blanks in code', `\`a${' '.repeat(31_000)}b\``],
  ['comments within what is counted', `${'x <!--'.repeat(100)}${'-'.repeat(29_000)}`],
  ['backticks of every length', Array.from({ length: 240 }, (_, n) => '`'.repeat(n)).join(' ')],
  ['a table', `|a|b|\n|-|-|\n${'|c|d|\n'.repeat(4_800)}`],
])('REL-02 thirty kilobytes of %s take no time to speak of', (_name, text) => {
  const ms = processorMs(() => {
    toTelegramHtml(text)
    noticeHtml(text, text)
    renderMarkdown(text, 80, createPaints(true))
  })
  expect(ms).toBeLessThan(4_000)
})

test('REL-02 each name in a line is looked at a few times, however many there are', () => {
  const line = Array.from({ length: 8_000 }, (_, index) => run(index % 2 === 0 ? '@ada' : ' '))
  let looks = 0
  const watched = line.map(
    (piece) =>
      new Proxy(piece, {
        get: (target, key) => {
          looks += 1
          return Reflect.get(target, key)
        },
      }),
  )
  expect(makeInert(watched, 'commands and mentions')).toHaveLength(8_000)
  expect(looks).toBeLessThan(20 * line.length)
})

describe('our own words in Telegram', () => {
  test('CHAT-05 they stand as they are: nothing is markdown, commands can be tapped, nobody is pinged', () => {
    const html = only(noticeHtml('**Wait** <b> & "so": /approve 3\n\n@ada, /deny 3 reason'))
    expect(html).toBe(
      '**Wait** &lt;b&gt; &amp; &quot;so&quot;: /approve 3\n\n<code>@ada</code>, /deny 3 reason',
    )
    const { text, entities } = readMessage(html)
    expect(livePings(text, entities)).toEqual(['/approve', '/deny'])
  })

  test.each([
    ['/stop, /clear; /help! (/start) /status. /output?', []],
    ['/deny 3 why\n/always n: /approvals', []],
    ['There is no command /frobnicate. /help lists them.', ['/frobnicate']],
    [
      '/approve_all /stop@other_bot /helpme and/stop /Help',
      ['/approve_all', '/stop@other_bot', '/helpme', '/Help'],
    ],
  ])('THREAT-23 of %j only commands of ours can be tapped', (text, inert) => {
    const html = only(noticeHtml(text))
    expect([...html.matchAll(/<code>([^<]*)<\/code>/g)].map(([, word]) => word)).toEqual(inert)
  })

  test('THREAT-6 THREAT-23 what others wrote stands below them, as code in which nothing can be tapped', () => {
    expect(noticeHtml('Call 1: done', 'a\t<b>\n/approve @ada\u001b[2J')).toEqual([
      'Call 1: done\n<pre>a    &lt;b&gt;\n/approve @ada</pre>',
    ])
    expect(noticeHtml('', '/stop')).toEqual(['<pre>/stop</pre>'])
    for (const quoted of ['', ' \n']) expect(noticeHtml('Done.', quoted)).toEqual(['Done.'])
  })

  test('THREAT-23 CHAT-05 whatever is quoted, Telegram takes it, and nothing in it is lost or live', () => {
    fc.assert(
      fc.property(nastyMarkdown, (quoted) => {
        const read = noticeHtml('Here it is:', quoted).map(readMessage)
        for (const { text, entities } of read) expect(livePings(text, entities)).toEqual([])
        const bare = (text: string): string => text.replaceAll(/[\s\u2800]/g, '')
        const said = bare(read.map(({ text }) => text).join(''))
        expect(said).toBe(bare(`Here it is:${toPrintable(quoted)}`))
      }),
      { numRuns: 150 },
    )
  }, 60_000)

  test('CHAT-03 the list of commands is made for a font without columns', () => {
    expect(
      noticeHtml('/help                   lists  all\n/deny [n] [reason]      denies'),
    ).toEqual(['/help – lists  all\n/deny [n] [reason] – denies'])
  })

  test('CHAT-05 THREAT-23 whatever is in them, Telegram takes it, and it is no card', () => {
    fc.assert(
      fc.property(nastyMarkdown, (text) => {
        for (const html of noticeHtml(text)) expect(readMessage(html).text).not.toContain('❯')
      }),
    )
  })
})
