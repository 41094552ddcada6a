import { describe, expect, test } from 'vitest'
import { verifyChains } from '../../../src/core/audit/verify-chains.ts'
import { drawCode, groupCode } from '../../../src/core/inbox/pairing/pairing-code.ts'
import { findAccounts } from '../../../src/db/people/caller-links.ts'
import { endPairing, findKnownCaller } from '../../../src/db/people/callers.ts'
import { insertCode } from '../../../src/db/people/pairing.ts'
import type { Person } from '../../../src/ports/chat.ts'
import { sha256 } from '../../../src/util/digest.ts'
import { firstAuditRow } from '../../support/audit-rows.ts'
import { type Door, inGroup, openDoor, person } from './door.ts'

const ada = person(42, 'Ada')
const second = person(43, 'Ada again')
const mallory = person(66, 'Mallory')
const refusal = /^That code is not valid\./

/** Ada and her other account may talk; what /link gave Ada. */
async function open(lists: Parameters<typeof openDoor>[0] = { users: ['42', '43'] }) {
  const door = await openDoor(lists)
  await door.say(ada, 'hello')
  await door.say(second, 'hello')
  return { door, code: await offer(door, ada) }
}

async function offer({ database }: Door, { id }: Person): Promise<string> {
  const symbols = drawCode()
  await insertCode(database.db, { sha256: sha256(symbols), links: id, minutes: 10 })
  return groupCode(symbols)
}

async function areLinked({ database }: Door, one: Person, other: Person): Promise<boolean> {
  return (await findAccounts(database.db, one.id)).has(other.id)
}

async function lastWords(door: Door, place: string): Promise<string | undefined> {
  return (await door.sent()).findLast((sent) => sent.place === place)?.text
}

/** What links: the wish, and a yes to what was asked then. */
async function link(door: Door, from: Person, code: string): Promise<void> {
  await door.say(from, `/link ${code}`)
  await door.say(from, `/link ${code} yes`)
}

describe('a code that links two accounts', () => {
  test('CHAT-01 makes both one person’s when the other account asks by /link and says yes; both are told how to end it, the audit has it, each keeps its role', async () => {
    const { door, code } = await open({ users: ['42'], approvers: ['43'] })
    await using _door = door
    expect(await door.say(second, `/link ${code.toLowerCase()}`)).toEqual({ kind: 'not_taken' })
    expect(await lastWords(door, '43')).toMatch(/made by Ada on Telegram \(telegram:42\)/)
    expect(await lastWords(door, '43')).toContain(`\n/link ${code} yes\n`)
    expect(await areLinked(door, ada, second)).toBe(false)
    expect(await door.say(second, `/link ${code} Yes`)).toEqual({ kind: 'not_taken' })
    expect(await areLinked(door, ada, second)).toBe(true)
    expect(await lastWords(door, '43')).toMatch(
      /^Linked\. .*Ada’s \(telegram:42\) are one person.* end it: countersign pair unlink telegram:43$/,
    )
    expect(await lastWords(door, '42')).toMatch(
      /^Your code was used\. .*Ada again’s \(telegram:43\).* end it: countersign pair unlink telegram:42$/,
    )
    const { db } = door.database
    expect(await findKnownCaller(db, ada.id)).toMatchObject({ role: 'user', pairedRole: null })
    expect(await findKnownCaller(db, second.id)).toMatchObject({ role: 'approver' })
    const { body, caller_id } = await firstAuditRow(db)
    expect(caller_id).toBe(second.id)
    expect(JSON.parse(body).note).toMatch(/^linked with telegram:42, one person from now on/)
    expect((await verifyChains(db, () => true)).broken).toEqual([])
    expect(await door.count('pairing_try')).toBe(0)
  })

  test.each([
    ['as it is', (code: string) => code],
    ['after /pair', (code: string) => `/pair ${code}`],
    ['by a link that opens the chat', (code: string) => `/start ${code}`],
  ])(
    'CHAT-01 THREAT-26 links nobody when it is sent %s, as somebody may be made to: they are told what it would do, and it stays good',
    async (_, write) => {
      const { door, code } = await open()
      await using _door = door
      for (let time = 0; time < 6; time += 1) await door.say(second, write(code))
      expect(await lastWords(door, '43')).toMatch(/^This code links two accounts\. Nothing is/)
      expect(await lastWords(door, '43')).toContain(`\n/link ${code}\n`)
      expect(await areLinked(door, ada, second)).toBe(false)
      expect(await door.count('pairing_try')).toBe(0)
      await link(door, second, code)
      expect(await areLinked(door, ada, second)).toBe(true)
    },
  )

  test('CHAT-01 THREAT-26 a yes counts only from whoever was told last whose account it is', async () => {
    const { door, code } = await open({ users: ['42', '43', '66'] })
    await using _door = door
    await door.say(second, `/link ${code} yes`)
    expect(await lastWords(door, '43')).toMatch(/^This code was made by Ada/)
    await door.say(mallory, `/link ${code} yes`)
    expect(await lastWords(door, '66')).toMatch(/^This code was made by Ada/)
    await door.say(second, `/link ${code} yes`)
    expect(await areLinked(door, ada, second)).toBe(false)
    await door.say(second, `/link ${code} yes`)
    expect(await areLinked(door, ada, second)).toBe(true)
    expect(await areLinked(door, ada, mallory)).toBe(false)
  })

  test('CHAT-01 works once: a second sender is refused, and whoever used it is told so', async () => {
    const { door, code } = await open({ users: ['42', '43', '66'] })
    await using _door = door
    await link(door, second, code)
    await door.say(second, `/link ${code} yes`)
    expect(await lastWords(door, '43')).toMatch(/^You have already used this code/)
    await link(door, mallory, code)
    expect(await lastWords(door, '66')).toMatch(refusal)
    expect(await areLinked(door, ada, mallory)).toBe(false)
  })

  test('CHAT-01 of two answers that come at once one links', async () => {
    const { door, code } = await open()
    await using _door = door
    await door.say(second, `/link ${code}`)
    const yes = `/link ${code} yes`
    await Promise.all([door.say(second, yes), door.say(second, yes)])
    expect(await areLinked(door, ada, second)).toBe(true)
    expect(await door.count('audit_log')).toBe(1)
    const told = (await door.sent()).filter(({ text }) => /^Linked\./.test(text))
    expect(told).toHaveLength(1)
  })

  test('CHAT-01 is void when it is older than ten minutes', async () => {
    const { door, code } = await open()
    await using _door = door
    await door.letPass('11 minutes')
    await link(door, second, code)
    expect(await lastWords(door, '43')).toMatch(refusal)
    expect(await areLinked(door, ada, second)).toBe(false)
  })

  test('CHAT-01 does nothing for a stranger who got hold of it, is void from then on, and lets nobody in', async () => {
    const { door, code } = await open()
    await using _door = door
    await door.say(mallory, `/link ${code}`)
    expect(await lastWords(door, '66')).toMatch(refusal)
    expect(await findKnownCaller(door.database.db, mallory.id)).toBeUndefined()
    await link(door, second, code)
    expect(await areLinked(door, ada, second)).toBe(false)
    expect(await door.count('audit_log')).toBe(1)
  })

  test('CHAT-01 in a group is void: others could read it', async () => {
    const { door, code } = await open()
    await using _door = door
    await door.say(second, code, inGroup)
    expect(await lastWords(door, '-100')).toMatch(/void/)
    await link(door, second, code)
    expect(await areLinked(door, ada, second)).toBe(false)
  })

  test('CHAT-01 THREAT-7 in a group is void among other words too, and is not called so when there was none', async () => {
    for (const words of ['yes please', 'ja']) {
      const { door, code } = await open()
      await using _door = door
      await door.say(second, '/link me', inGroup)
      expect(await lastWords(door, '-100')).toBe(
        'Pairing codes work in a private chat with me only.',
      )
      await door.say(second, `/link ${code} ${words}`, inGroup)
      expect(await lastWords(door, '-100')).toMatch(/void/)
      await link(door, second, code)
      expect(await areLinked(door, ada, second)).toBe(false)
    }
  })

  test('CHAT-01 from the account that had it made links nothing with itself', async () => {
    const { door, code } = await open()
    await using _door = door
    await door.say(ada, code)
    expect(await lastWords(door, '42')).toMatch(/^This is the account that the code was made for/)
    expect((await findAccounts(door.database.db, ada.id)).size).toBe(1)
  })

  test('CHAT-01 is refused once its maker may not talk any more', async () => {
    const { door, code } = await open()
    await using _door = door
    door.configure({ users: ['43'] })
    await door.say(second, `/link ${code}`)
    expect(await lastWords(door, '43')).toMatch(refusal)
    expect(await areLinked(door, ada, second)).toBe(false)
  })

  test('CHAT-01 guesses are counted as those of pairing codes are, and five are all', async () => {
    const { door, code } = await open()
    await using _door = door
    for (let guess = 0; guess < 5; guess += 1) await door.say(second, groupCode(drawCode()))
    await link(door, second, code)
    expect(await lastWords(door, '43')).toMatch(refusal)
    expect(await areLinked(door, ada, second)).toBe(false)
  })

  test('CHAT-01 does not bring back a role that was taken away', async () => {
    const { door, code } = await open({ users: ['42'], approvers: ['43'] })
    await using _door = door
    await link(door, second, code)
    await endPairing(door.database.db, second.id, 'user')
    door.configure({ users: ['42'] })
    expect(await door.say(second, 'hello')).toEqual({ kind: 'not_taken' })
  })
})
