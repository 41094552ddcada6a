import fc from 'fast-check'
import { expect, test } from 'vitest'
import { noticeRuns } from '../../../../../src/adapters/chat/render/draw-texts.ts'
import { createTelegramCanvas } from '../../../../../src/adapters/chat/telegram/outgoing/create-messenger.ts'
import {
  sizeOfBlocks,
  toRichBlocks,
} from '../../../../../src/adapters/chat/telegram/render/to-rich-blocks.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'
import { readRichBlocks } from '../../../../support/telegram/text/rich-blocks.ts'
import { nastyMarkdown } from './nasty-markdown.ts'
import { livePings } from './read-message.ts'

const telegramCanvas = createTelegramCanvas(english)

function blocksOf(text: string, quoted: string) {
  const { words, box } = noticeRuns(text, quoted)
  return toRichBlocks({ words: telegramCanvas.makeInert(words, 'notice'), summary: 'Show', box })
}

test('TG-06 CHAT-05 THREAT-23 whatever is in it: none of it is lost, none of it is live, and its size is what the platform counts', () => {
  fc.assert(
    fc.property(nastyMarkdown, nastyMarkdown, (text, quoted) => {
      const blocks = blocksOf(text, quoted)
      fc.pre(sizeOfBlocks(blocks).blocks <= 400)
      const { content } = readRichBlocks(blocks)
      const { words, box } = noticeRuns(text, quoted)
      const bare = (said: string): string => said.replaceAll(/\s/g, '')
      const said = `${words.map((run) => run.text).join('')}Show${box}`
      expect(bare(content.text)).toBe(bare(said))
      const commands = content.entities.filter(({ type }) => type === 'bot_command')
      for (const { offset, length } of commands)
        expect(content.text.slice(offset, offset + length)).toMatch(
          /^\/(?:approve|always|deny|approvals|stop|clear|status|output|help|start)$/,
        )
      const shown = commands.map((one) => ({ ...one, type: 'code' as const }))
      expect(livePings(content.text, [...content.entities, ...shown])).toEqual([])
      const texts = content.text.split('\n').length - 1
      expect(sizeOfBlocks(blocks).characters).toBeGreaterThanOrEqual(
        [...content.text].length - texts,
      )
    }),
    { numRuns: 150 },
  )
}, 60_000)

test('TG-06 nested blocks and characters beyond the first plane count as the platform counts them', () => {
  expect(sizeOfBlocks(blocksOf('a\n\nb /stop', '😀\nx'))).toEqual({
    characters: 1 + 7 + 4 + 3,
    blocks: 4,
  })
})
