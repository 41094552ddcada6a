import { describe, expect, test } from 'vitest'
import { verifyChains } from '../../../../src/core/audit/verify-chains.ts'
import {
  codeAlphabet,
  groupCode,
  looksLikeCode,
} from '../../../../src/core/inbox/pairing/pairing-code.ts'
import { findKnownCaller } from '../../../../src/db/people/callers.ts'
import { insertCode } from '../../../../src/db/people/pairing.ts'
import type { Role } from '../../../../src/domain/caller.ts'
import type { Person } from '../../../../src/ports/chat.ts'
import { sha256 } from '../../../../src/util/digest.ts'
import { auditRows } from '../../../support/audit-rows.ts'
import { type Door, inGroup, openDoor, person } from '../door.ts'

const ada = person(42, 'Ada')
const bob = person(43, 'Bob')
const notTaken = { kind: 'not_taken' }
const refusal = /^That code is not valid\./

async function offer(door: Door, role: Role = 'user', minutes = 10): Promise<string> {
  const symbols = randomSymbols()
  await insertCode(door.database.db, { sha256: sha256(symbols), role, minutes })
  return groupCode(symbols)
}

function randomSymbols(): string {
  for (;;) {
    const signs = Array.from({ length: 13 }, () => codeAlphabet[Math.floor(Math.random() * 32)])
    if (looksLikeCode(signs.join(''))) return signs.join('')
  }
}

function wrong(): string {
  return groupCode(randomSymbols())
}

async function texts(door: Door): Promise<readonly string[]> {
  return (await door.sent()).map(({ text }) => text)
}

async function pairedRole(door: Door, { id }: Person): Promise<string | null | undefined> {
  return (await findKnownCaller(door.database.db, id))?.pairedRole
}

describe('a code that is good', () => {
  test.each([
    ['as it is', (code: string) => code],
    [
      'in small letters with blanks',
      (code: string) => ` ${code.toLowerCase().replaceAll('-', ' ')}\n`,
    ],
    ['after /pair', (code: string) => `/pair ${code.replaceAll('-', '')}`],
    ['after /start', (code: string) => `/start ${code}`],
  ])('CHAT-01 lets a stranger in, %s', async (_, write) => {
    await using door = await openDoor()
    const code = await offer(door, 'approver')
    expect(await door.say(ada, write(code))).toEqual(notTaken)
    expect(await door.sent()).toEqual([
      { place: '42', text: expect.stringMatching(/^Welcome, Ada\. You may now .*approver/) },
    ])
    expect(door.due).toHaveLength(1)
    expect(await door.say(ada, 'hello')).toMatchObject({ kind: 'stored' })
    const known = await findKnownCaller(door.database.db, ada.id)
    expect(known).toMatchObject({ name: 'Ada', role: 'approver', pairedRole: 'approver' })
    expect(await door.count('pairing_try')).toBe(0)
  })

  test('CHAT-01 is audited without the code, which is stored and logged nowhere', async () => {
    await using door = await openDoor()
    const code = await offer(door, 'operator')
    await door.say(ada, code)
    await door.say(ada, code)
    await door.say(ada, `/pair ${code}`, inGroup)
    const rows = await auditRows(door.database.db)
    expect(rows).toMatchObject([{ chain: 'system', kind: 'command', caller_id: ada.id }])
    expect(JSON.parse(rows[0]?.body ?? '').note).toMatch(
      /^paired as operator, by the code made at 2/,
    )
    expect((await verifyChains(door.database.db, () => true)).broken).toEqual([])
    const kept = `${await door.everything()}${door.logged.join()}`
    for (const form of [code, code.replaceAll('-', ''), code.slice(10)]) {
      expect(kept.toUpperCase()).not.toContain(form)
    }
    expect(await door.count('inbound_event')).toBe(0)
  })

  test('CHAT-01 works once: of many who send it at once one is let in', async () => {
    await using door = await openDoor()
    const code = await offer(door)
    const people = Array.from({ length: 8 }, (_, index) => person(100 + index, `P${index}`))
    await Promise.all(people.map((from) => door.say(from, code)))
    const roles = await Promise.all(people.map((from) => pairedRole(door, from)))
    expect(roles.filter((role) => role === 'user')).toHaveLength(1)
    const said = await texts(door)
    expect(said.filter((text) => text.startsWith('Welcome'))).toHaveLength(1)
    expect(said.filter((text) => refusal.test(text))).toHaveLength(7)
    expect(await door.count('pairing_try')).toBe(7)
  })

  test('CHAT-01 handed over twice by the platform is no failure to tell of, and gives nothing twice', async () => {
    await using door = await openDoor()
    const code = await offer(door)
    await door.say(ada, code, { externalId: 'update 1' })
    await door.say(ada, code, { externalId: 'update 1' })
    const [, again] = await texts(door)
    expect(again).toBe('You have already used this code. It works once.')
    expect(await door.count('audit_log')).toBe(1)
  })

  test('CHAT-01 is over after its minutes', async () => {
    await using door = await openDoor()
    const code = await offer(door, 'user', 10)
    await door.letPass('10 minutes')
    await door.say(ada, code)
    expect(await texts(door)).toEqual([expect.stringMatching(refusal)])
    expect(await pairedRole(door, ada)).toBeUndefined()
    const lasting = await offer(door, 'user', 10)
    await door.letPass('9 minutes')
    await door.say(ada, lasting)
    expect(await pairedRole(door, ada)).toBe('user')
  })
})

describe('the welcome', () => {
  test.each<[Role, string]>([
    ['user', 'talk to this bot (role: user)'],
    ['approver', 'talk to this bot and answer everybody’s approvals (role: approver)'],
    [
      'operator',
      'talk to this bot, answer everybody’s approvals, read everybody’s audit, lift budgets and choose workers (role: operator)',
    ],
  ])('CHAT-01 promises a %s what there is, and names /help', async (role, may) => {
    await using door = await openDoor()
    await door.say(ada, await offer(door, role))
    expect(await texts(door)).toEqual([
      `Welcome, Ada. You may now ${may}. /help lists the commands.`,
    ])
  })
})

describe('whoever is known already', () => {
  test('CHAT-01 rises by a code, and falls by none', async () => {
    await using door = await openDoor({ users: ['42'] })
    await door.say(ada, 'hello')
    await door.say(ada, await offer(door, 'approver'))
    expect(await findKnownCaller(door.database.db, ada.id)).toMatchObject({
      role: 'approver',
      pairedRole: 'approver',
    })
    await door.say(ada, await offer(door, 'user'))
    expect(await findKnownCaller(door.database.db, ada.id)).toMatchObject({
      role: 'approver',
      pairedRole: 'approver',
    })
    expect((await texts(door)).at(-1)).toContain('role: approver')
  })

  test('CHAT-01 has the higher of what the configuration and the pairing give', async () => {
    await using door = await openDoor({ operators: ['42'] })
    await door.say(ada, await offer(door, 'user'))
    const role = async () => (await findKnownCaller(door.database.db, ada.id))?.role
    expect(await role()).toBe('operator')
    expect((await texts(door)).at(-1)).toContain('role: operator')
    door.configure({})
    expect(await door.say(ada, 'hello')).toMatchObject({ kind: 'stored' })
    expect(await role()).toBe('user')
  })

  test('CHAT-01 never gets a code to the model: good, wrong, used or garbled, it is not stored', async () => {
    await using door = await openDoor({ users: ['42'] })
    const code = await offer(door)
    for (const text of [wrong(), code, code, `/start ${wrong()}`, '/pair hello', '/pair']) {
      expect(await door.say(ada, text)).toEqual(notTaken)
    }
    expect(await door.count('inbound_event')).toBe(0)
    const said = await texts(door)
    expect(said).toHaveLength(6)
    expect(said[0]).toMatch(/That code is not valid.*If it was not a code, put a word beside it\.$/)
    expect(said[4]).toMatch(/^That is not a pairing code\./)
  })

  test.each(['that-went-great', 'prod-west-12345', '/start', '/status'])(
    'CHAT-01 gets %s through: it is no code',
    async (text) => {
      await using door = await openDoor({ users: ['42'] })
      expect(await door.say(ada, text)).toMatchObject({ kind: 'stored' })
      expect(await door.sent()).toEqual([])
      expect(await door.count('pairing_try')).toBe(0)
    },
  )

  test('CHAT-01 is told that codes work in private only, and a code that a group could read is void', async () => {
    await using door = await openDoor({ users: ['42'] })
    const code = await offer(door, 'operator')
    for (const text of [code, `@our_bot ${code}`, `/pair@our_bot ${code}`]) {
      expect(await door.say(ada, text, inGroup)).toEqual(notTaken)
    }
    expect(await door.sent()).toEqual(
      Array(3).fill({ place: '-100', text: expect.stringContaining('in a private chat') }),
    )
    expect(await door.count('inbound_event')).toBe(0)
    expect(await door.count('pairing_try')).toBe(0)
    expect(await pairedRole(door, ada)).toBeNull()
    // Whoever read it there cannot use it.
    await door.say(bob, code)
    expect(await pairedRole(door, bob)).toBeFalsy()
    const { rows } = await door.database.pool.query(
      "select body from audit_log where chain = 'system'",
    )
    expect(JSON.stringify(rows)).toContain('shown to others and is void')
  })

  test('CHAT-01 a stranger who sends a code to a group is told nothing, and the code is void: others could read it', async () => {
    await using door = await openDoor()
    const code = await offer(door)
    expect(await door.say(ada, code, inGroup)).toEqual(notTaken)
    expect(await door.sent()).toEqual([])
    for (const person of [ada, bob]) {
      await door.say(person, code)
      expect(await pairedRole(door, person)).toBeFalsy()
    }
  })

  test('CHAT-01 who writes while being paired keeps what the pairing gave', async () => {
    await using door = await openDoor({ users: ['42'] })
    const code = await offer(door, 'operator')
    await Promise.all([
      ...Array.from({ length: 5 }, (_, index) => door.say({ ...ada, name: `Ada ${index}` }, 'hi')),
      door.say(ada, code),
    ])
    expect(await findKnownCaller(door.database.db, ada.id)).toMatchObject({
      role: 'operator',
      pairedRole: 'operator',
    })
  })
})

describe('tries', () => {
  test('CHAT-01 after 5 that failed in a day a code is not even looked at, and the words are the same', async () => {
    await using door = await openDoor()
    for (let count = 0; count < 5; count += 1) await door.say(ada, wrong())
    const code = await offer(door)
    await door.say(ada, code)
    const said = await texts(door)
    expect(said).toHaveLength(6)
    expect(new Set(said).size).toBe(1)
    expect(await pairedRole(door, ada)).toBeUndefined()
    expect(door.logged.join()).toContain('code not checked')
    expect(door.logged.join()).not.toContain(code)
    // Others are not held up, and it was not used up.
    await door.say(bob, code)
    expect(await pairedRole(door, bob)).toBe('user')
    await door.letPass('24 hours')
    await door.say(ada, await offer(door))
    expect(await pairedRole(door, ada)).toBe('user')
  })

  test('CHAT-01 that come all at once are no more than 5 either', async () => {
    await using door = await openDoor()
    await Promise.all(Array.from({ length: 20 }, () => door.say(ada, wrong())))
    expect(await door.count('pairing_try')).toBe(5)
  })

  test('CHAT-01 after 50 that failed in a day, whoever made them, no code is looked at', async () => {
    await using door = await openDoor({ users: ['43'] })
    const people = Array.from({ length: 12 }, (_, index) => person(100 + index, 'S'))
    const tries = people.flatMap((from) => Array.from({ length: 5 }, () => door.say(from, wrong())))
    await Promise.all(tries)
    expect(await door.count('pairing_try')).toBe(50)
    const code = await offer(door, 'operator')
    for (const from of [ada, bob]) await door.say(from, code)
    expect(await pairedRole(door, ada)).toBeUndefined()
    expect(await pairedRole(door, bob)).toBeNull()
    await door.letPass('24 hours')
    await door.say(ada, await offer(door))
    expect(await pairedRole(door, ada)).toBe('user')
  })

  test('CHAT-01 beyond the limit are answered no more often than a stranger is', async () => {
    await using door = await openDoor()
    for (let count = 0; count < 20; count += 1) await door.say(ada, wrong())
    expect(await texts(door)).toHaveLength(6)
  })
})
