import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromMarkup } from '../../../../../src/adapters/chat/slack/incoming/to-incoming.ts'
import { escapeText } from '../../../../../src/adapters/chat/slack/render/slack-canvas.ts'
import '../../../../support/run/fuzz-seed.ts'
import { processorMs } from '../../../../support/processor-ms.ts'
import { anyCharacter } from '../../../../support/run/any-character.ts'

const own = 'U0BOT00001'

test.each([
  ['<@U0BOT00001> what is new?', 'what is new?'],
  ['hey <@U0BOT00001|countersign>, hello', 'hey , hello'],
  ['ask <@U0ADA00001> or <@U0ADA00001|ada>', 'ask @U0ADA00001 or @ada'],
  ['<#C0GENERAL1|general> <#C0GENERAL1>', '#general #C0GENERAL1'],
  ['<!here> <!channel|channel> <!subteam^S1|@team> <!subteam^S1>', '@here channel @team @subteam'],
  ['<!date^1392734382^{date}|18 Feb>', '18 Feb'],
  ['<https://x.y/z?a=1&amp;b=2>', 'https://x.y/z?a=1&b=2'],
  ['<https://x.y|x.y>', 'x.y (https://x.y)'],
  ['<https://x.y|https://x.y>', 'https://x.y'],
  ['<mailto:a@b.co|a@b.co>', 'a@b.co'],
  ['if a &lt; b &amp;&amp; c &gt; d', 'if a < b && c > d'],
  ['&amp;lt;b&amp;gt;', '&lt;b&gt;'],
  ['&lt;@U0BOT00001&gt;', '<@U0BOT00001>'],
  ['a < b > c', 'a  b  c'],
  ['<>', '<>'],
  ['  /status  ', '/status'],
])('SLACK-01 %j becomes %j', (sent, read) => {
  expect(fromMarkup(sent, own)).toBe(read)
})

test('SLACK-01 text without references stays unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (typed) => {
      fc.pre(!/@(?:here|channel|everyone|group)/i.test(typed))
      expect(fromMarkup(escapeText(typed), own)).toBe(typed.trim())
    }),
  )
})

describe('REL-02 any text', () => {
  const parts = [
    '<',
    '>',
    '|',
    '@',
    '#',
    '!',
    own,
    'C1',
    '&lt;',
    '&',
    ';',
    '^',
    'x',
    '\n',
    '\ud800',
  ]

  test('is converted, and no mention of the bot remains', () => {
    const text = fc.array(fc.constantFrom(...parts)).map((some) => some.join(''))
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: anyCharacter })), (sent) => {
        fromMarkup(sent, own)
      }),
      { numRuns: 1_000 },
    )
  })

  test.each([
    '<',
    '<a',
    '<@',
    '<a|',
    '<a|b',
    '|',
    '<>',
    `<${'a'.repeat(2_999)}`,
    `<${'a'.repeat(3_001)}|`,
    `<a|${'|'.repeat(2_999)}`,
    '&amp;',
    ' ',
  ])('takes no time to speak of in two hundred kilobytes: %.20s', (part) => {
    const text = part.repeat(Math.ceil(200_000 / part.length))
    expect(processorMs(() => void fromMarkup(text, own))).toBeLessThan(1_000)
  })
})
