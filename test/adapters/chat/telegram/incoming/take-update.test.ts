import { expect, test } from 'vitest'
import { createUpdateTaker } from '../../../../../src/adapters/chat/telegram/incoming/take-update.ts'
import { toIncoming } from '../../../../../src/adapters/chat/telegram/incoming/to-incoming.ts'
import { takeIncoming } from '../../../../../src/core/inbox/take-incoming.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'
import type { Intake } from '../../../../../src/ports/chat.ts'
import { silentLog } from '../../../../../src/util/log.ts'
import { openDoor } from '../../../../core/inbox/door.ts'
import { createOddServer } from './odd-server.ts'
import { ada, entity, groupMessage, me } from './updates.ts'

interface Item {
  readonly album?: string
  readonly caption?: string
  readonly from?: number
  readonly kind?: 'photo' | 'sticker'
  readonly bytes?: number
}

/**
 * What is stored of photos in a group, by their numbers, though each comes to a gateway that knows of none of the others. `away`:
 * which of them cannot be stored.
 */
async function taken(items: readonly Item[], away?: number): Promise<readonly string[]> {
  await using server = await createOddServer(() => true)
  await using door = await openDoor({ users: ['42', '43'] })
  for (const [index, { album, caption, from = 42, kind = 'photo', bytes }] of items.entries()) {
    const marks = caption === undefined ? [] : [entity('mention', caption, '@OurTestBot')]
    const update = groupMessage(index, '', {
      text: undefined,
      from: { ...ada, id: from },
      [kind]: kind === 'photo' ? [{ file_id: 'x', file_size: bytes }] : { file_id: 'x' },
      media_group_id: album,
      caption,
      caption_entities: marks,
    })
    const take: Intake['take'] = async (incoming) => {
      if (index === away) throw new Error('connect ECONNREFUSED')
      const { kind: outcome } = await takeIncoming(door.ctx(), incoming)
      return { known: outcome === 'stored', answer: Promise.resolve(undefined) }
    }
    const taker = createUpdateTaker({
      api: server.api,
      intake: { take },
      messages: english,
      log: silentLog,
    })
    const { kind: outcome } = await taker.take(toIncoming(update, me))
    expect(outcome).toBe(index === away ? 'kept' : 'done')
  }
  const rows = await door.database.db
    .selectFrom('inbound_event')
    .select('external_id')
    .orderBy('arrival')
    .execute()
  return rows.map(({ external_id: id }) => id.split(':')[1] ?? '')
}

const mentions = '@OurTestBot see'

test.each<[string, readonly Item[], readonly string[]]>([
  ['whose caption mentions us', [{ album: 'a', caption: mentions }, { album: 'a' }], ['0', '1']],
  ['whose caption comes later', [{ album: 'a' }, { album: 'a', caption: mentions }], ['1']],
  ['that is another', [{ album: 'a', caption: mentions }, { album: 'b' }], ['0']],
  [
    'of somebody else',
    [
      { album: 'a', caption: mentions },
      { album: 'a', from: 43 },
    ],
    ['0'],
  ],
  [
    'whose first part is too large, with no words beside,',
    [{ album: 'a', caption: '@OurTestBot', bytes: 21 * 1024 * 1024 }, { album: 'a' }],
    ['0', '1'],
  ],
  ['that is for nobody', [{ album: 'a' }, { album: 'a' }], []],
  ['beside a photo alone', [{ album: 'a', caption: mentions }, {}], ['0']],
  [
    'of what is not taken',
    [
      { album: 'a', caption: mentions },
      { album: 'a', kind: 'sticker' },
    ],
    ['0'],
  ],
])('CHAT-07 TG-04 of an album %s the parts for the bot are taken', async (_, items, expected) => {
  expect(await taken(items)).toEqual(expected)
})

test('CHAT-07 INT-32 if the first part of an album could not be stored, the rest is not for the bot yet', async () => {
  const album = [{ album: 'a', caption: mentions }, { album: 'a' }]
  expect(await taken(album, 0)).toEqual([])
})
