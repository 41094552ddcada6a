import { expect, test } from 'vitest'
import type { IncomingFile } from '../../../../src/ports/chat.ts'
import { type Door, inGroup, openDoor, person } from '../door.ts'

const ada = person(42, 'Ada')
const bob = person(43, 'Bob')
const megabyte = 1024 * 1024
const tooMany = 'not taken: at most 20 files, or 100 MB, of one person wait at a time.'

function files(count: number, bytes?: number, name = 'f'): readonly IncomingFile[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `${name}${index}`,
    reference: `ref ${name}${index}`,
    ...(bytes === undefined ? {} : { bytes }),
  }))
}

async function taken({ database }: Door): Promise<readonly string[]> {
  const rows = await database.db.selectFrom('upload').select('name').orderBy('id').execute()
  return rows.map(({ name }) => name)
}

const told = async (door: Door) => (await door.sent()).map(({ text }) => text)

test('CHAT-07 THREAT-29 of one person 20 files wait at a time, wherever they were sent; the rest is told of in a line, and others are not held up', async () => {
  await using door = await openDoor({ users: ['42', '43'] })
  await door.say(ada, 'many', { files: files(15, 1) })
  await door.say(ada, 'more', { files: files(8, 1, 'g'), ...inGroup })
  expect(await taken(door)).toHaveLength(20)
  expect(await told(door)).toEqual([expect.stringContaining(`“g5” and 2 more were ${tooMany}`)])
  await door.say(ada, '', { files: files(1, 1, 'h') })
  expect((await told(door)).at(-1)).toContain(`“h0” was ${tooMany}`)
  await door.say(bob, '', { files: files(1, 1, 'b') })
  expect(await taken(door)).toHaveLength(21)
  const { db } = door.database
  await db.updateTable('upload').set({ state: 'told' }).where('name', '=', 'f0').execute()
  await door.say(ada, '', { files: files(1, 1, 'i') })
  expect((await taken(door)).at(-1)).toBe('i0')
})

test.each([
  ['said to be so large', 20 * megabyte],
  ['of which nobody says how large they are', undefined],
])('CHAT-07 THREAT-29 of files %s 100 MB wait', async (_, bytes) => {
  await using door = await openDoor({ users: ['42'] })
  await door.say(ada, 'large', { files: files(6, bytes) })
  expect(await taken(door)).toEqual(['f0', 'f1', 'f2', 'f3', 'f4'])
  expect(await told(door)).toEqual([expect.stringContaining(`“f5” was ${tooMany}`)])
})

test('CHAT-07 THREAT-29 also of those that come at once', async () => {
  await using door = await openDoor({ users: ['42'] })
  const places = ['1', '2', '3', '4']
  await Promise.all(
    places.map((place) => door.say(ada, 'now', { files: files(8, 1, place), place })),
  )
  expect(await taken(door)).toHaveLength(20)
})

test('CHAT-07 what is refused is told once, though the platform hands over the message twice', async () => {
  await using door = await openDoor({ users: ['42'] })
  const large = files(1, 20 * megabyte + 1)
  for (const text of ['', 'see']) {
    const update = { files: large, externalId: `update ${text}` }
    await door.say(ada, text, update)
    await door.say(ada, text, update)
  }
  const refused = '“f0” is larger than 20 MB and was not taken.'
  expect(await told(door)).toEqual([refused, refused])
  const { db } = door.database
  const waiting = await db
    .selectFrom('inbound_event')
    .select('body')
    .where('handled_at', 'is', null)
    .execute()
  expect(waiting.map(({ body }) => JSON.parse(body).text)).toEqual(['see'])
})

test('CHAT-07 LOOP-04 what came with a command and was refused is not taken when the platform hands it over again and there is room', async () => {
  await using door = await openDoor({ users: ['42'] })
  const { db } = door.database
  await door.say(ada, 'many', { files: files(20, 1) })
  const twice = { externalId: 'the same', files: files(1, 1, 'z') }
  await door.say(ada, '/status', twice)
  await db.updateTable('upload').set({ state: 'told' }).execute()
  await door.say(ada, '/status', twice)
  expect((await told(door)).at(-1)).toContain(`“z0” was ${tooMany}`)
  expect(await taken(door)).not.toContain('z0')
})
