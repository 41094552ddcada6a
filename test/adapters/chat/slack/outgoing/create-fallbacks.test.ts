import { expect, test } from 'vitest'
import { drawCard } from '../../../../../src/adapters/chat/render/draw-card.ts'
import { drawMarkdown } from '../../../../../src/adapters/chat/render/draw-texts.ts'
import { hasDiffView } from '../../../../../src/adapters/chat/slack/outgoing/create-fallbacks.ts'
import { createMessenger } from '../../../../../src/adapters/chat/slack/outgoing/create-messenger.ts'
import { createSlackCanvas } from '../../../../../src/adapters/chat/slack/render/slack-canvas.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'
import { aCard } from '../../console/cards.ts'
import { openOutgoing } from './outgoing-place.ts'

const slackCanvas = createSlackCanvas(english)

const change = 'edit src/a.ts\n\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-one\n+two'

test('SLACK-05 APPR-02 a change is shown as a diff', () => {
  const card = aCard({ tool: 'edit', what: change })
  const { drawn } = drawCard(slackCanvas, card, { now: 0 })
  expect(hasDiffView(drawn)).toBe(true)
  expect(JSON.stringify(drawn.blocks)).toContain('@@ -1 +1 @@\\n-one\\n+two')
})

test('SLACK-05 CHAT-05 if Slack refuses the diff view, diffs are sent as code from then on', async () => {
  await using out = await openOutgoing()
  const messenger = createMessenger(out.client, english)
  const [message] = drawMarkdown(slackCanvas, 'Look:\n\n```diff\n-one\n+two\n```')
  if (message === undefined) throw new Error('no message')
  out.slack.failNext('chat.postMessage', { kind: 'error', error: 'invalid_blocks' })
  for (const times of [1, 2]) {
    const ts = await messenger.send(out.dm.id, message)
    const shown = out.dm.message(ts)
    expect(shown.blocks).toMatchObject([
      { elements: [{ type: 'rich_text_section' }, { type: 'rich_text_preformatted' }] },
    ])
    expect(JSON.stringify(shown.blocks)).not.toContain('"language"')
    expect(out.slack.callsOf('chat.postMessage')).toHaveLength(times + 1)
  }
})

test('CHAT-05 blocks refused without the diff view as well are sent as text', async () => {
  await using out = await openOutgoing()
  const messenger = createMessenger(out.client, english)
  const [message] = drawMarkdown(slackCanvas, '```diff\n-one\n```')
  if (message === undefined) throw new Error('no message')
  const refusal = { kind: 'error', error: 'invalid_blocks' } as const
  out.slack.failNext('chat.postMessage', refusal, refusal)
  const ts = await messenger.send(out.dm.id, message)
  expect(out.dm.message(ts).blocks).toMatchObject([{ type: 'section' }])
  const again = await messenger.send(out.dm.id, message)
  expect(JSON.stringify(out.dm.message(again).blocks)).toContain('"language":"diff"')
})
