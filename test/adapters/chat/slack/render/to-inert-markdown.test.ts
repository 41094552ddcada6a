import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toPrintable } from '../../../../../src/adapters/chat/render/printable.ts'
import {
  toInertLine,
  toInertMarkdown,
} from '../../../../../src/adapters/chat/slack/render/to-inert-markdown.ts'
import { notifiedBy } from '../../../../support/slack/mentions.ts'
import '../../../../support/run/fuzz-seed.ts'
import { anyCharacter } from '../../../../support/run/any-character.ts'
import { nastyMarkdown } from '../../telegram/render/nasty-markdown.ts'

const parts = [
  '<!channel>',
  '<!here|now>',
  '<@U0ADA00001>',
  '<#C1|general>',
  '<https://evil.example|bank>',
  '[you](slack://user?id=U1)',
  '![x](http://evil.example/x.png)',
  '[a][b]\n\n[b]: http://evil.example',
  '[b]:evil',
  '&lt;!everyone&gt;',
  '&#60;!here&#62;',
  '@channel',
  '@here ',
  'www.evil.example',
  'http://evil.example',
  'mailto:a@b.example',
  'ada@b.example',
  '#general',
  ':white_check_mark:',
  '| a | b |\n|---|---|\n| 1 | 2 |\n',
  '❯ Approval 1 · bash',
  '\\<!channel\\>',
  '\u2060',
  '\u001b[31m',
]
const nasty = fc.oneof(
  nastyMarkdown,
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc
    .array(fc.constantFrom(...parts, ' ', '\n', '`', '**', '> ', '\\', '- ', '```\n'), {
      maxLength: 20,
    })
    .map((some) => some.join('')),
)
const nobody = { users: [], broadcasts: [], groups: [] }
/** What any of them needs, whoever parses it. */
const live =
  /[<|]|[&@[\]:.][^\s\u2060]|#[^\s#\u2060]|\]\(|\]\[|:\/\/|&\w+;|@(?:here|channel|everyone)|❯/

test('SLACK-03 THREAT-23 streamed markdown cannot contain a mention, a link, a table, an emoji or a card', () => {
  fc.assert(
    fc.property(nasty, (markdown) => {
      const text = toInertMarkdown(markdown)
      expect(text).not.toMatch(live)
      expect(text.isWellFormed()).toBe(true)
      expect(notifiedBy({ text, blocks: [{ type: 'markdown', text }], bareNames: true })).toEqual(
        nobody,
      )
    }),
    { numRuns: 1_000 },
  )
})

test('SLACK-03 no word is lost', () => {
  fc.assert(
    fc.property(nasty, (markdown) => {
      const back = toInertMarkdown(markdown).replaceAll('\u2060', '')
      const wanted = toPrintable(markdown).replaceAll('<', '‹').replaceAll('|', '│')
      expect(back).toBe(wanted)
    }),
    { numRuns: 500 },
  )
})

test('SLACK-05 THREAT-23 the title of a step cannot contain a mention, a link or markup, and it fits', () => {
  fc.assert(
    fc.property(nasty, fc.integer({ min: 2, max: 300 }), (line, most) => {
      const title = toInertLine(line, most)
      // What was cut ends with `…`.
      expect(title.replace(/…$/, '')).not.toMatch(live)
      expect(title).not.toMatch(/[*_~`\\][^\u2060…]|\n/)
      expect(title.length).toBeLessThanOrEqual(most)
      expect(title.isWellFormed()).toBe(true)
    }),
    { numRuns: 1_000 },
  )
})
