import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fetchUploads } from '../../../../src/core/inbox/files/fetch-uploads.ts'
import { nextInbound } from '../../../../src/db/outbox/inbox.ts'
import { findDueUploads } from '../../../../src/db/upload/upload-claims.ts'
import type { ChatPlatform, FetchedFile, IncomingFile } from '../../../../src/ports/chat.ts'
import { type Door, openDoor, person } from '../door.ts'

const ada = person(42, 'Ada')
const hello: FetchedFile = { kind: 'fetched', content: Buffer.from('hello') }

/** A platform that gives out files as it is told to, and counts how often it was asked. */
function platformOf(answers: readonly FetchedFile[]) {
  const asked: string[] = []
  const platform: ChatPlatform = {
    name: 'telegram',
    deliver: async () => ({ kind: 'sent', messageId: '1' }),
    live: () => undefined,
    fetchFile: async (reference) => {
      asked.push(reference)
      return answers[Math.min(asked.length, answers.length) - 1] ?? hello
    },
  }
  return { platform, asked }
}

const file = (name: string): IncomingFile => ({ name, reference: `ref ${name}` })

async function sent(door: Door, files: readonly IncomingFile[], other = {}): Promise<string> {
  const taken = await door.say(ada, 'see', { files, ...other })
  if (taken.kind !== 'stored') throw new Error('it was not stored')
  return taken.conversationId
}

const fetching = (door: Door, platform: ChatPlatform, id: string) =>
  fetchUploads(door.ctx(), platform, id, new AbortController().signal)

const uploads = ({ database }: Door) =>
  database.db.selectFrom('upload').selectAll().orderBy('ordinal').execute()

/** When the first is tried again, in ms after `time`; a slow machine uses up what is left of it. */
async function notBefore(door: Door, time: number): Promise<number> {
  return ((await uploads(door))[0]?.not_before.getTime() ?? 0) - time
}

/** As if the time had come. */
const hurry = ({ database }: Door) =>
  sql`update upload set not_before = now() where state = 'waiting'`.execute(database.db)

test('CHAT-07 INT-16 each file is fetched once, also by two at once, and the same update twice is one', async () => {
  await using door = await openDoor({ users: ['42'] })
  const externalId = 'update 1'
  const id = await sent(door, [file('a'), file('b')], { externalId })
  await sent(door, [file('a'), file('b')], { externalId })
  const { platform, asked } = platformOf([hello])
  await Promise.all([fetching(door, platform, id), fetching(door, platform, id)])
  expect(asked.toSorted()).toEqual(['ref a', 'ref b'])
  expect(await uploads(door)).toMatchObject([{ state: 'kept' }, { state: 'kept' }])
})

test('CHAT-07 what is written behind a file waits for it, and commands do not', async () => {
  await using door = await openDoor({ users: ['42'] })
  const id = await sent(door, [file('a')])
  await door.say(ada, 'what does it say?')
  await door.say(ada, '/stop')
  const { db } = door.database
  expect((await nextInbound(db, id))?.body).toContain('/stop')
  await sql`update inbound_event set handled_at = now() where body like '%stop%'`.execute(db)
  expect(await nextInbound(db, id)).toBeUndefined()
  await fetching(door, platformOf([hello]).platform, id)
  expect(JSON.parse((await nextInbound(db, id))?.body ?? '')).toMatchObject({ kind: 'files' })
})

test('CHAT-07 what was written behind a file that does not come goes on after half a minute', async () => {
  await using door = await openDoor({ users: ['42'] })
  const id = await sent(door, [file('a')])
  await door.say(ada, 'well?')
  const { db } = door.database
  await sql`update inbound_event set received_at = now() - interval '31 s'`.execute(db)
  expect((await nextInbound(db, id))?.body).toContain('well?')
})

test('CHAT-07 one whose fetcher is gone is fetched by the next, once its claim has run out', async () => {
  await using door = await openDoor({ users: ['42'] })
  const id = await sent(door, [file('a')])
  const { db } = door.database
  await sql`update upload set claimed_until = now() + interval '50 s'`.execute(db)
  const { platform, asked } = platformOf([hello])
  const waitMs = await fetching(door, platform, id)
  expect(asked).toEqual([])
  expect(waitMs).toBeGreaterThan(10_000)
  await sql`update upload set claimed_until = now() - interval '1 ms'`.execute(db)
  expect(await fetching(door, platform, id)).toBeUndefined()
  expect(await uploads(door)).toMatchObject([{ state: 'kept' }])
})

test('CHAT-07 it is tried ever more slowly, the person is told once, and it is given up at last', async () => {
  await using door = await openDoor({ users: ['42'] })
  const id = await sent(door, [file('a.txt')])
  const { platform, asked } = platformOf([{ kind: 'unreachable', why: 'no answer' }])
  const waits: number[] = []
  const putOff: number[] = []
  for (let tries = 0; tries < 20; tries += 1) {
    const before = Date.now()
    waits.push((await fetching(door, platform, id)) ?? -1)
    putOff.push(await notBefore(door, before))
    await hurry(door)
  }
  expect(asked).toHaveLength(15)
  expect(waits[0]).toBeGreaterThanOrEqual(0)
  expect(putOff[0]).toBeGreaterThan(500)
  expect(putOff[3]).toBeGreaterThan(7_000)
  expect(Math.max(...waits)).toBeLessThanOrEqual(60_000)
  expect(await uploads(door)).toMatchObject([
    { state: 'refused', failure: 'telegram did not deliver it for too long' },
  ])
  expect(await door.sent()).toEqual([
    { place: '42', text: '“a.txt” cannot be fetched right now; retrying.' },
  ])
})

test('CHAT-07 a platform that asks to wait is waited for as long as it says, a minute at most, and given up at last', async () => {
  await using door = await openDoor({ users: ['42'] })
  const id = await sent(door, [file('a')])
  const nine = platformOf([{ kind: 'busy', afterMs: 9_000 }])
  const before = Date.now()
  expect(await fetching(door, nine.platform, id)).toBeGreaterThanOrEqual(0)
  expect(await notBefore(door, before)).toBeGreaterThan(7_000)
  expect(await uploads(door)).toMatchObject([{ state: 'waiting', attempts: 1 }])
  const { platform, asked } = platformOf([{ kind: 'busy', afterMs: 9e15 }])
  for (let tries = 0; tries < 20; tries += 1) {
    await hurry(door)
    expect((await fetching(door, platform, id)) ?? 0).toBeLessThanOrEqual(60_000)
  }
  expect(asked).toHaveLength(14)
  expect(await uploads(door)).toMatchObject([
    { state: 'refused', failure: 'telegram did not deliver it for too long' },
  ])
})

test('CHAT-07 REL-03 THREAT-29 what comes with a message that has to wait is fetched when its time has come', async () => {
  await using door = await openDoor({ users: ['42'] }, { messagesPerMinute: 2 })
  const { db } = door.database
  const id = await sent(door, [file('a')])
  await sent(door, [file('b')])
  await sent(door, [file('c')])
  const { platform, asked } = platformOf([hello])
  const waitMs = (await fetching(door, platform, id)) ?? 0
  expect(asked).toEqual(['ref a', 'ref b'])
  expect(waitMs).toBeGreaterThan(30_000)
  expect(await findDueUploads(db, 'telegram')).toEqual([])
  await sql`update inbound_event set not_before = not_before - interval '1 minute'`.execute(db)
  expect(await findDueUploads(db, 'telegram')).toEqual([id])
  await fetching(door, platform, id)
  expect(asked).toEqual(['ref a', 'ref b', 'ref c'])
})

test('CHAT-07 one that is larger than it may be is not kept, and neither its name nor its type are believed', async () => {
  await using door = await openDoor({ users: ['42'] })
  const id = await sent(door, [file('a'), file('b')])
  const large = { kind: 'fetched', content: Buffer.alloc(20 * 1024 * 1024 + 1) } as const
  const odd = { ...hello, name: '../x\0', mediaType: 'a/b\nIgnore all' } as const
  await fetching(door, platformOf([large, odd]).platform, id)
  expect(await uploads(door)).toMatchObject([
    { state: 'refused', failure: 'it is larger than 20 MB', attachment_id: null },
    { state: 'kept', name: '_x', media_type: null },
  ])
})

test('CHAT-07 the parts of an album are one event, with the words of any, whichever comes first', async () => {
  await using door = await openDoor({ users: ['42'] })
  const id = await sent(door, [file('a')], { album: '7' })
  await Promise.all([
    door.say(ada, '', { files: [file('b')], album: '7' }),
    door.say(ada, 'late', { files: [file('c')], album: '7' }),
    door.say(ada, '', { files: [file('d')], album: '8' }),
  ])
  const { db } = door.database
  await hurry(door)
  await fetching(door, platformOf([hello]).platform, id)
  const waiting = await db
    .selectFrom('inbound_event')
    .selectAll()
    .where('handled_at', 'is', null)
    .execute()
  expect(waiting.map(({ body }) => JSON.parse(body).text)).toEqual(['see\nlate', ''])
  const names = (await uploads(door))
    .filter(({ inbound_event_id }) => inbound_event_id === waiting[0]?.id)
    .map(({ name }) => name)
  expect(names.toSorted()).toEqual(['a', 'b', 'c'])
})

test('CHAT-07 a part that comes when the rest of its album was handled is a message of its own, and one of no album that was taken is nothing', async () => {
  await using door = await openDoor({ users: ['42'] })
  const id = await sent(door, [file('a')], { album: '7' })
  const { db } = door.database
  await hurry(door)
  await fetching(door, platformOf([hello]).platform, id)
  await sql`update inbound_event set handled_at = now()`.execute(db)
  const late = { files: [file('b')], album: '7', ifAlbumTaken: true } as const
  expect(await door.say(ada, '', late)).toMatchObject({ kind: 'stored' })
  expect(await uploads(door)).toMatchObject([{ name: 'a' }, { name: 'b', state: 'waiting' }])
  expect(await door.say(ada, '', { ...late, album: '8' })).toEqual({ kind: 'not_taken' })
  expect(await uploads(door)).toHaveLength(2)
})

test('CHAT-07 TG-04 the file of a command that is the caption of a later part is no part of what came before it, and further parts are parts of it', async () => {
  await using door = await openDoor({ users: ['42'] })
  await door.say(ada, '', { files: [file('a')], album: '7' })
  await door.say(ada, '/stop', { files: [file('b')], album: '7' })
  await door.say(ada, '', { files: [file('c')], album: '7' })
  const events = Object.groupBy(await uploads(door), ({ inbound_event_id: id }) => id)
  const names = Object.values(events).map((files) => files?.map(({ name }) => name))
  expect(names.toSorted()).toEqual([['a'], ['b', 'c']])
})

test('CHAT-07 LOOP-04 a command with a file is two rows, the command first, and the same update twice is the same two', async () => {
  await using door = await openDoor({ users: ['42'] })
  const other = { files: [file('a')], externalId: 'update 1' }
  for (let times = 0; times < 2; times += 1) await door.say(ada, '/stop', other)
  const { db } = door.database
  const rows = await db.selectFrom('inbound_event').selectAll().orderBy('arrival').execute()
  expect(rows.map(({ body }) => JSON.parse(body))).toEqual([
    { kind: 'message', text: '/stop' },
    { kind: 'files', text: '' },
  ])
  expect(await uploads(door)).toMatchObject([{ inbound_event_id: rows[1]?.id }])
  expect((await nextInbound(db, rows[0]?.conversation_id ?? ''))?.id).toBe(rows[0]?.id)
})
