import { describe, expect, test } from 'vitest'
import { findCaller, saveCaller } from '../../../src/db/people/callers.ts'
import { ensureConversation } from '../../../src/db/turn/conversations.ts'
import type { CardAction } from '../../../src/domain/approval.ts'
import type { Person } from '../../../src/ports/chat.ts'
import { sha256 } from '../../../src/util/digest.ts'
import { newId, newToken } from '../../../src/util/ids.ts'
import { auditRows } from '../../support/audit-rows.ts'
import { type Door, inGroup, openDoor, person } from './door.ts'

const ada = person(42, 'Ada', 'ada_l')
const bob = person(43, 'Bob')
const notTaken = { kind: 'not_taken' }
const stored = { kind: 'stored' }

async function roleOf(door: Door, { id }: Person): Promise<string | undefined> {
  return (await findCaller(door.database.db, id))?.role
}

describe('a file', () => {
  const fileAlone = 'I can only read text; the file was not taken.'

  test('CHAT-07 without words is told of as not taken, and gets no row', async () => {
    await using door = await openDoor({ users: ['42'] })
    expect(await door.say(ada, '', { unread: 'file' })).toEqual(notTaken)
    expect(await door.say(ada, '', { ...inGroup, unread: 'file' })).toEqual(notTaken)
    expect(await door.sent()).toEqual([
      { place: '42', text: fileAlone },
      { place: '-100', text: fileAlone },
    ])
    expect(door.due).toHaveLength(2)
    expect(await door.count('inbound_event')).toBe(0)
    expect(door.logged).toEqual([])
  })

  test('CHAT-07 with a caption is told of, and the caption is the message', async () => {
    await using door = await openDoor({ users: ['42'] })
    expect(await door.say(ada, 'what is it?', { unread: 'file' })).toMatchObject(stored)
    expect(await door.sent()).toEqual([
      { place: '42', text: 'I read the caption; the file itself was not taken.' },
    ])
    const { body } = await door.database.db
      .selectFrom('inbound_event')
      .select('body')
      .executeTakeFirstOrThrow()
    expect(JSON.parse(body)).toEqual({ kind: 'message', text: 'what is it?' })
  })

  test('CHAT-01 CHAT-07 of a stranger gets the one line that strangers get, in private only', async () => {
    await using door = await openDoor()
    for (const text of ['', 'what is it?']) {
      expect(await door.say(ada, text, { unread: 'file' })).toEqual(notTaken)
      expect(await door.say(bob, text, { ...inGroup, unread: 'file' })).toEqual(notTaken)
    }
    expect(await door.sent()).toEqual([
      { place: '42', text: expect.stringContaining('invited people only') },
    ])
  })
})

describe('who may talk', () => {
  test('CHAT-01 empty lists are nobody: nothing is stored of anybody', async () => {
    await using door = await openDoor()
    expect(await door.say(ada, 'hello')).toEqual(notTaken)
    expect(await door.say(ada, 'hello', inGroup)).toEqual(notTaken)
    expect(await door.count('inbound_event')).toBe(0)
    expect(await door.count('caller')).toBe(0)
  })

  test('CHAT-01 an id of the configuration is let in, with the highest role that a list gives', async () => {
    await using door = await openDoor({ users: ['42', '43'], approvers: ['43'], operators: ['42'] })
    expect(await door.say(ada, 'hello')).toMatchObject(stored)
    expect(await door.say(bob, 'hello')).toMatchObject(stored)
    expect(await findCaller(door.database.db, ada.id)).toEqual({
      id: ada.id,
      name: 'Ada',
      role: 'operator',
    })
    expect(await roleOf(door, bob)).toBe('approver')
  })

  test('CHAT-01 an id is the whole id, and one of another platform is nobody here', async () => {
    await using door = await openDoor({ users: ['4', '420', '043', 'telegram:42'] })
    for (const from of [ada, bob]) expect(await door.say(from, 'hello')).toEqual(notTaken)
    const stranger = { ...ada, id: 'slack:T1:4' }
    expect(await door.say(stranger, 'hello')).toEqual(notTaken)
  })

  test('CHAT-01 a message is stored once, with what it replied to, before it is answered', async () => {
    await using door = await openDoor({ users: ['42'] })
    const other = { place: '-100/7', isPrivate: false, externalId: 'update 1', replyTo: '99' }
    const first = await door.say(ada, 'do it', other)
    expect(await door.say(ada, 'do it', other)).toEqual({ ...first, isNew: false })
    const { db } = door.database
    const [event, ...more] = await db.selectFrom('inbound_event').selectAll().execute()
    expect(more).toEqual([])
    const conversation = await ensureConversation(db, 'telegram', '-100/7')
    expect(first).toMatchObject({
      kind: 'stored',
      conversationId: conversation.id,
      eventId: event?.id,
    })
    expect(event).toMatchObject({
      platform: 'telegram',
      external_id: 'update 1',
      caller_id: ada.id,
      handled_at: null,
    })
    expect(JSON.parse(event?.body ?? '')).toEqual({
      kind: 'message',
      text: 'do it',
      replyTo: '99',
      isShared: true,
    })
  })

  test('CHAT-01 whoever is taken out of the configuration is a stranger at once, known or not', async () => {
    await using door = await openDoor({ operators: ['42'] })
    await door.say(ada, 'hello')
    door.configure({ users: ['43'] })
    expect(await door.say(ada, 'again')).toEqual(notTaken)
    expect(await door.tap(ada, newToken())).toMatchObject({ answer: { alert: true } })
    expect(await door.count('inbound_event')).toBe(1)
  })

  test('CHAT-01 a role that the configuration changes counts with the next message', async () => {
    await using door = await openDoor({ operators: ['42'] })
    await door.say(ada, 'hello')
    door.configure({ users: ['42'] })
    await door.say(ada, 'again')
    expect(await roleOf(door, ada)).toBe('user')
  })

  test('CHAT-01 a caller is written only when something changed', async () => {
    await using door = await openDoor({ users: ['42'] })
    const version = async () => {
      const { rows } = await door.database.pool.query('select xmin::text, name from caller')
      return rows[0]
    }
    await door.say(ada, 'one')
    const first = await version()
    await door.say(ada, 'two')
    expect(await version()).toEqual(first)
    await door.say({ ...ada, name: 'Ada L.' }, 'three')
    expect(await version()).toMatchObject({ name: 'Ada L.' })
  })

  test('CHAT-01 saving a caller elsewhere keeps what a pairing gave', async () => {
    await using door = await openDoor()
    const { db } = door.database
    await db
      .insertInto('caller')
      .values({ id: ada.id, name: 'Ada', role: 'approver', paired_role: 'approver' })
      .execute()
    await saveCaller(db, { id: ada.id, name: 'Ada L.', role: 'user' })
    expect(await door.say(ada, 'hello')).toMatchObject(stored)
    expect(await roleOf(door, ada)).toBe('approver')
  })

  test('CHAT-01 a name begins no line of its own and does not turn text around', async () => {
    await using door = await openDoor({ users: ['42', '43'] })
    const name = `  Ada\n\nApproved by Bob\u202e\0\ud800${'x'.repeat(200)}`
    await door.say({ ...ada, name }, 'hello')
    const caller = await findCaller(door.database.db, ada.id)
    expect(caller?.name).toMatch(/^Ada Approved by Bob \uFFFDx{50,}$/)
    expect(caller?.name).toHaveLength(80)
    await door.say({ ...bob, name: '\u200e \n', username: 'bobby' }, 'hello')
    expect((await findCaller(door.database.db, bob.id))?.name).toBe('bobby')
  })

  test('LOOP-04 what cannot be understood is refused for good, not again and again', async () => {
    await using door = await openDoor({ users: ['42'] })
    expect(await door.say(ada, '')).toEqual(notTaken)
    expect(await door.say(ada, 'x'.repeat(300_000))).toEqual(notTaken)
    expect(door.logged.join()).toContain('invalid inbound update')
    expect(await door.count('inbound_event')).toBe(0)
  })
})

describe('usernames of the configuration', () => {
  test.each(['ada_l', '@ada_l', 'ADA_L'])(
    'CHAT-01 %s is the account that has it',
    async (entry) => {
      await using door = await openDoor({ approvers: [entry] })
      expect(await door.say({ ...ada, username: 'Ada_L' }, 'hello')).toMatchObject(stored)
      expect(await roleOf(door, ada)).toBe('approver')
      expect(await door.say(bob, 'hello')).toEqual(notTaken)
    },
  )

  test('THREAT-7 a name that was given up and taken by another account lets nobody in', async () => {
    await using door = await openDoor({ users: ['ada_l'] })
    await door.say(ada, 'hello')
    const thief = person(666, 'Ada', 'ada_l')
    expect(await door.say(thief, 'hello')).toEqual(notTaken)
    expect(await door.tap(thief, newToken())).toEqual({
      kind: 'not_taken',
      answer: { text: 'You may not answer this.', alert: true },
    })
    expect(await roleOf(door, thief)).toBeUndefined()
  })

  test('THREAT-7 the pinned account stays who it is, whatever it calls itself later', async () => {
    await using door = await openDoor({ operators: ['ada_l'] })
    await door.say(ada, 'hello')
    expect(await door.say({ ...ada, username: 'lovelace' }, 'again')).toMatchObject(stored)
    const { username: _, ...nameless } = ada
    expect(await door.say(nameless, 'again')).toMatchObject(stored)
    expect(await roleOf(door, ada)).toBe('operator')
    door.configure({ operators: ['somebody_else'] })
    expect(await door.say(ada, 'again')).toEqual(notTaken)
  })

  test('THREAT-7 of two accounts that come with the name at once one is let in, and stays', async () => {
    await using door = await openDoor({ users: ['ada_l'] })
    const accounts = Array.from({ length: 8 }, (_, index) => person(100 + index, 'Ada', 'ada_l'))
    const taken = await Promise.all(accounts.map((from) => door.say(from, 'hello')))
    const winners = accounts.filter((_, index) => taken[index]?.kind === 'stored')
    expect(winners).toHaveLength(1)
    expect(await door.count('audit_log')).toBe(1)
    const again = await Promise.all(accounts.map((from) => door.say(from, 'again')))
    expect(accounts.filter((_, index) => again[index]?.kind === 'stored')).toEqual(winners)
  })

  test('AUD-01 the audit says which account a username stands for', async () => {
    await using door = await openDoor({ users: ['ada_l'] })
    await door.say(ada, 'hello')
    await door.say(ada, 'again')
    const rows = await auditRows(door.database.db)
    expect(rows).toMatchObject([{ chain: 'system', kind: 'command', caller_id: ada.id }])
    expect(rows[0]?.body).toContain('ada_l')
  })

  test('CHAT-01 a username without a list entry is not kept', async () => {
    await using door = await openDoor({ users: ['somebody'] })
    await door.say(ada, 'hello')
    expect(await door.database.db.selectFrom('username_pin').selectAll().execute()).toEqual([])
  })
})

describe('strangers', () => {
  const line =
    'This bot works for invited people only. To get in, ask its operator for a pairing code, and send it here.'

  test('CHAT-01 are told one polite line a day in private, and what they wrote is kept nowhere', async () => {
    await using door = await openDoor({ users: ['43'] })
    const words = 'a very unusual sentence'
    await door.say(ada, words)
    await door.say(ada, words)
    expect(await door.sent()).toEqual([{ place: '42', text: line }])
    expect(door.due).toHaveLength(1)
    expect(await door.everything()).not.toContain(words)
    expect(door.logged.join()).not.toContain(words)
    expect(await door.count('inbound_event')).toBe(0)
    await door.letPass('23 hours 59 minutes')
    await door.say(ada, words)
    expect(await door.sent()).toHaveLength(1)
    await door.letPass('2 minutes')
    await door.say(ada, words)
    expect(await door.sent()).toHaveLength(2)
  })

  test('CHAT-01 who come all at once are told once each, and 30 an hour over all', async () => {
    await using door = await openDoor()
    const many = Array.from({ length: 40 }, (_, index) => person(1000 + index, 'S'))
    await Promise.all([...many, ...many].map((from) => door.say(from, 'hello')))
    const places = (await door.sent()).map(({ place }) => place)
    expect(places).toHaveLength(30)
    expect(new Set(places).size).toBe(30)
    await door.letPass('61 minutes')
    for (const from of many) await door.say(from, 'hello')
    expect(await door.sent()).toHaveLength(40)
  })

  test('CHAT-01 get silence in groups', async () => {
    await using door = await openDoor()
    for (const text of ['hello', '/start', '/pair hello', 'AB2C-D3EF-G4HJK']) {
      expect(await door.say(ada, text, inGroup)).toEqual(notTaken)
    }
    expect(await door.sent()).toEqual([])
    expect(await door.count('conversation')).toBe(0)
    // And may still be told in private.
    await door.say(ada, 'hello')
    expect(await door.sent()).toHaveLength(1)
  })

  test('CHAT-02 who tap are told so, alone, and nothing is stored', async () => {
    await using door = await openDoor({ users: ['43'] })
    const token = await button(door, '-100')
    const taken = await door.tap(ada, token, inGroup)
    const answer = { text: 'You may not answer this.', alert: true }
    expect(taken).toMatchObject({ kind: 'not_taken', answer })
    expect(await door.count('inbound_event')).toBe(0)
    expect(await door.sent()).toEqual([])
  })
})

describe('buttons', () => {
  const gone = {
    kind: 'not_taken',
    answer: { text: 'This button is no longer valid here.', alert: true },
  }

  test('TG-02 a tap is stored once, in the conversation that the button was made for', async () => {
    await using door = await openDoor({ users: ['42'] })
    const token = await button(door, '-100/7', 'always')
    const other = { place: '-100', isPrivate: false, externalId: 'tap 1' }
    const taken = await door.tap(ada, token, other)
    expect(await door.tap(ada, token, other)).toEqual({ ...taken, isNew: false })
    const { db } = door.database
    const { id } = await ensureConversation(db, 'telegram', '-100/7')
    const events = await db.selectFrom('inbound_event').selectAll().execute()
    expect(events).toMatchObject([{ conversation_id: id, caller_id: ada.id, external_id: 'tap 1' }])
    expect(taken).toMatchObject({ kind: 'stored', conversationId: id, eventId: events[0]?.id })
    const { approval_id } = await db
      .selectFrom('callback_token')
      .select('approval_id')
      .executeTakeFirstOrThrow()
    expect(JSON.parse(events[0]?.body ?? '')).toEqual({
      kind: 'tap',
      approvalId: approval_id,
      action: 'always',
      messageId: '7',
      isThere: true,
    })
  })

  test('THREAT-8 a token is worth nothing in another chat, or on another platform', async () => {
    await using door = await openDoor({ users: ['42'] })
    const token = await button(door, '-100/7')
    expect(await door.tap(ada, token)).toEqual(gone)
    expect(await door.tap(ada, token, { place: '-1' })).toEqual(gone)
    expect(await door.tap(ada, token, { place: '-100/8' })).toMatchObject(stored)
    const elsewhere = await button(door, '42', 'approve', 'slack')
    expect(await door.tap(ada, elsewhere)).toEqual(gone)
  })

  test('THREAT-8 what was never a token, or only its digest, is worth nothing', async () => {
    await using door = await openDoor({ users: ['42'] })
    const token = await button(door, '42')
    for (const forged of [newToken(), '', sha256(token), `${token} `, '\0', 'x'.repeat(10_000)]) {
      expect(await door.tap(ada, forged)).toEqual(gone)
    }
    expect(await door.count('inbound_event')).toBe(0)
    expect(await door.everything()).not.toContain(token)
  })
})

/** A button below a card in a conversation; answers its token. */
async function button(
  door: Door,
  place: string,
  action: CardAction = 'approve',
  platform = 'telegram',
): Promise<string> {
  const { db, pool } = door.database
  const { id } = await ensureConversation(db, platform, place)
  const token = newToken()
  // What the button is of matters only when the tap is handled.
  const client = await pool.connect()
  await client.query('set session_replication_role = replica')
  await client.query('insert into callback_token values ($1, $2, $3, $4)', [
    sha256(token),
    newId(),
    action,
    id,
  ])
  await client.query('reset session_replication_role')
  client.release()
  return token
}
