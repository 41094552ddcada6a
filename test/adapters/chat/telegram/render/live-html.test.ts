import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../../../support/run/any-character.ts'
import { liveHtml } from './as-html.ts'
import { nastyMarkdown } from './nasty-markdown.ts'
import { livePings, readMessage } from './read-message.ts'

describe('the passing message of a turn in Telegram', () => {
  test.each([
    [{}, '⏳ <b>working</b>'],
    [{ doing: 'thinking', elapsedMs: 3_999 }, '⏳ <b>thinking</b> · 3 s'],
    [
      { doing: 'bash', elapsedMs: 125_000, lastLine: 'compiling <x>\n' },
      '⏳ <b>bash</b> · 2 min 5 s · <code>compiling &lt;x&gt;</code>',
    ],
    [{ text: '**Hal', doing: 'writing', elapsedMs: 0 }, '**Hal\n\n⏳ <b>writing</b> · 0 s'],
    [
      { text: 'See\n```ts\nconst a', doing: 'writing' },
      'See\n<pre><code class="language-ts">const a</code></pre>\n\n⏳ <b>writing</b>',
    ],
  ])('CHAT-04 of %j it shows what was written and what is done', (view, html) => {
    expect(liveHtml(view)).toBe(html)
    readMessage(html)
  })

  test('CHAT-04 of a long text it shows the end, from the beginning of a line', () => {
    const text = Array.from({ length: 2_000 }, (_, index) => `- item ${index}`).join('\n')
    const shown = readMessage(liveHtml({ text, doing: 'writing' })).text
    expect(shown).toMatch(/^⋯\n• item \d+\n/)
    expect(shown).toMatch(/\n• item 1998\n• item 1999\n\n⏳ writing$/)
    expect(shown.length).toBeGreaterThan(2_500)
  })

  test('CHAT-05 a fence that was opened long ago is still a fence', () => {
    const text = `\`\`\`\nx\n\`\`\`\n\n~~~~ python\n${'print("*a*")\n'.repeat(3_000)}`
    const { text: shown, entities } = readMessage(liveHtml({ text, doing: 'writing' }))
    expect(entities[0]).toMatchObject({ type: 'pre', language: 'python', offset: 2 })
    expect(shown.startsWith('⋯\nprint("*a*")\nprint')).toBe(true)
    const open = `\`\`\`c\n${'a[i] = *b[j];\n'.repeat(200)}`
    expect(readMessage(liveHtml({ text: open })).entities[0]).toMatchObject({ language: 'c' })
    const closed = `${text}~~~~\n\n${'**b** word\n\n'.repeat(1_000)}`
    expect(readMessage(liveHtml({ text: closed })).entities[0]?.type).toBe('bold')
  })

  test('CHAT-04 of a text that is a little too long it says that the beginning is missing', () => {
    expect(liveHtml({ text: 'words\n\n'.repeat(600) })).toMatch(/^⋯\nwords\n/)
    expect(liveHtml({ text: 'words\n\n'.repeat(400) })).toMatch(/^words\n/)
  })

  test('CHAT-04 a line without an end is cut between words', () => {
    const shown = readMessage(liveHtml({ text: 'words '.repeat(5_000) })).text
    expect(shown).toMatch(/^⋯\nwords words /)
    expect(liveHtml({ text: '😀'.repeat(6_000) })).not.toContain('\ufffd')
  })

  test('CHAT-05 THREAT-23 at any moment of any text it is a message that Telegram takes, and no card', () => {
    const any = fc.option(fc.string({ unit: anyCharacter, maxLength: 400 }), { nil: undefined })
    fc.assert(
      fc.property(nastyMarkdown, any, any, fc.integer(), (text, doing, lastLine, elapsedMs) => {
        const html = liveHtml({
          text,
          elapsedMs,
          ...(doing === undefined ? {} : { doing }),
          ...(lastLine === undefined ? {} : { lastLine }),
        })
        const read = readMessage(html)
        expect(read.text).not.toContain('❯')
        expect(read.text).toContain('⏳')
        expect(livePings(read.text, read.entities)).toEqual([])
      }),
      { numRuns: 150 },
    )
  }, 60_000)
})
