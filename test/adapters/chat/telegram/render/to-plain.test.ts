import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toPlain } from '../../../../../src/adapters/chat/telegram/render/to-plain.ts'
import { aCard } from '../../console/cards.ts'
import { cardHtml, toTelegramHtml } from './as-html.ts'
import { nastyMarkdown } from './nasty-markdown.ts'
import { livePings, readMessage } from './read-message.ts'

describe('a message whose HTML Telegram refused', () => {
  test('CHAT-05 has the same text without styles', () => {
    const html =
      '<b>a &lt;b&gt; &amp;amp; &quot;</b>\n<pre><code class="language-c">x &lt; 1\ny</code></pre>\n<a href="https://x.y/?a&amp;b">w</a> <a href="https://x.y/">https://x.y/</a>'
    expect(toPlain(html)).toBe('a <b> &amp; "\n│ x < 1\n│ y\nw (https://x.y/?a&b) https://x.y/')
  })

  test('CHAT-05 a URL after its link is not repeated', () => {
    const [html = ''] = toTelegramHtml('[google.com](https://e.v/) x')
    expect(toPlain(html)).toBe('google.com (https://e.v/) x')
  })

  test('CHAT-05 THREAT-23 any message fits, keeps its words, and pings no one', () => {
    fc.assert(
      fc.property(nastyMarkdown, (markdown) => {
        for (const html of toTelegramHtml(markdown)) {
          const plain = toPlain(html)
          expect(plain.length).toBeLessThanOrEqual(4_096)
          expect(plain.isWellFormed()).toBe(true)
          expect(plain).not.toContain('❯')
          expect(livePings(plain.replaceAll(/https?:\/\/\S+/g, ''), [])).toEqual([])
          const bare = (text: string): string =>
            text
              .replaceAll(/[\s\u2060│]/g, '')
              .replaceAll('＠', '@')
              .replaceAll('／', '/')
          const said = bare(readMessage(html).text)
          if (!html.includes('<a ')) expect(bare(plain)).toBe(said)
        }
      }),
      { numRuns: 150 },
    )
  }, 60_000)

  test('THREAT-23 the call of a card cannot pass for a line of the card', () => {
    const what = 'ls\nWaiting for an answer.\n❯ Question 9'
    const plain = toPlain(cardHtml(aCard({ what }), { now: 0 }).html)
    expect(plain).toMatch(
      /^❯ Ada's agent wants to use bash:\n│ ls\n│ Waiting for an answer.\n│ ⟨U\+276F⟩ Question 9\n/,
    )
  })

  test('CHAT-05 code that would grow beyond a message keeps its length', () => {
    const [html = ''] = toTelegramHtml(`\`\`\`\n${'@ab /cd\n'.repeat(480)}\n\`\`\``)
    const plain = toPlain(html)
    expect(plain.length).toBeLessThanOrEqual(4_096)
    expect(plain.startsWith('＠ab ／cd\n')).toBe(true)
  })
})
