import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readEnvelope } from '../../../src/adapters/chat/slack/incoming/read-envelope.ts'
import { toIncoming } from '../../../src/adapters/chat/telegram/incoming/to-incoming.ts'
import { takeIncoming } from '../../../src/core/inbox/take-incoming.ts'
import type { Incoming } from '../../../src/ports/chat.ts'
import * as slack from '../../adapters/chat/slack/incoming/envelopes.ts'
import * as telegram from '../../adapters/chat/telegram/incoming/updates.ts'
import { nearly } from '../../adapters/nearly.ts'
import { openDoor } from './door.ts'

const file = { file_id: 'x', file_name: 'a.txt', mime_type: 'text/plain', file_size: 5 }
function fromTelegram(update: unknown): Incoming | undefined {
  const read = toIncoming(update, telegram.me)
  return read.kind === 'incoming' ? read.incoming : undefined
}

const updates = nearly(
  [
    telegram.privateMessage(1, 'hello'),
    telegram.privateMessage(2, '/pair ABCD-EFGH', {
      reply_to_message: { message_id: 4, from: telegram.ourBot },
    }),
    telegram.privateMessage(3, '', {
      text: undefined,
      caption: 'see',
      document: file,
      media_group_id: '9',
    }),
    telegram.groupMessage(4, '/clear@OurTestBot', {
      message_thread_id: 77,
      is_topic_message: true,
    }),
    telegram.tap(5),
    telegram.stopped(6),
  ],
  2,
).map(fromTelegram)

const slackFile = {
  id: 'F0FILE0001',
  name: 'a.txt',
  mimetype: 'text/plain',
  size: 5,
  url_private: 'https://files.slack.com/a',
}
const envelopes = nearly(
  [
    slack.direct('hello', { files: [slackFile] }),
    slack.mention('hello'),
    slack.tap('token-1'),
    slack.command('status'),
    slack.submission({ place: 'C0GENERAL1', messageId: '1.2', token: 'token-1' }, 'why'),
  ],
  2,
).map((body): Incoming | undefined => {
  const read = readEnvelope(body, slack.reader)
  return read.kind === 'act' ? read.toIncoming(slack.ada) : undefined
})

test('REL-01 REL-02 whatever an adapter hands over can be stored or is dropped, so that it never comes again and again', async () => {
  await using door = await openDoor({ users: ['42'] })
  const lists = { users: ['U0ADA00001'], approvers: [], operators: [] }
  const ctx = { ...door.ctx(), people: { ...door.ctx().people, slack: lists } }
  let stored = 0
  await fc.assert(
    fc.asyncProperty(fc.oneof(updates, envelopes), async (incoming) => {
      fc.pre(incoming !== undefined)
      const { kind } = await takeIncoming(ctx, incoming)
      if (kind === 'stored') stored += 1
    }),
    { numRuns: 200, examples: [[fromTelegram(telegram.privateMessage(9, 'hello'))]] },
  )
  expect(stored).toBeGreaterThan(0)
})
