import { expect, test } from 'vitest'
import { createUpdateTaker } from '../../../../../src/edges/chat/telegram/incoming/take-update.ts'
import { toIncoming } from '../../../../../src/edges/chat/telegram/incoming/to-incoming.ts'
import type { IncomingAct } from '../../../../../src/ports/chat.ts'
import { silentLog } from '../../../../../src/util/log.ts'
import { createOddServer } from './odd-server.ts'
import { RecordingIntake } from './recording-intake.ts'
import { me, messageOf } from './updates.ts'

type Item = readonly [album: string | undefined, caption?: string | undefined, from?: number]

async function acts(items: readonly Item[], away?: number): Promise<readonly IncomingAct[]> {
  await using server = await createOddServer(() => true)
  const intake = new RecordingIntake()
  const taker = createUpdateTaker({ api: server.api, intake, log: silentLog })
  for (const [index, [media_group_id, caption, from = 42]] of items.entries()) {
    const { update_id, message } = messageOf(index, from, '')
    const fields = { text: undefined, photo: [{ file_id: 'x' }], media_group_id, caption }
    const read = toIncoming({ update_id, message: { ...message, ...fields } }, me)
    intake.away = () => index === away
    const taken = await taker.take(read)
    expect(taken.kind).toBe(index === away ? 'kept' : 'done')
  }
  return intake.stored.map(({ act }) => act)
}

const alone = { kind: 'message', text: '', unread: 'file' }
const captioned = { kind: 'message', text: 'see', unread: 'file' }
const words = { kind: 'message', text: 'see' }

test.each<[string, readonly Item[], readonly object[]]>([
  ['with its caption first', [['a', 'see'], ['a'], ['a']], [captioned]],
  ['with a caption later on', [['a'], ['a', 'see'], ['a']], [alone, words]],
  ['without a caption', [['a'], ['a'], ['a']], [alone]],
  ['and another one', [['a'], ['b'], ['a'], ['b']], [alone, alone]],
  ['and the same number elsewhere', [['a'], ['a', undefined, 43]], [alone, alone]],
  ['beside photos of their own', [[undefined], [undefined]], [alone, alone]],
])('CHAT-07 an album %s is told of once', async (_, items, expected) => {
  expect(await acts(items)).toEqual(expected)
})

test('CHAT-07 INT-32 an album whose first part could not be stored is told of by the next', async () => {
  expect(await acts([['a'], ['a'], ['a']], 0)).toEqual([alone])
})
