import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  findAccounts,
  findLinkedAccounts,
  isSamePerson,
  linkAccounts,
  readPeople,
  unlinkAccount,
} from '../../../src/db/people/caller-links.ts'
import { saveCaller } from '../../../src/db/people/callers.ts'
import { createTestDatabase } from '../../support/database/database.ts'

const accounts = ['a', 'b', 'c', 'd', 'e'].map((name) => `test:${name}`)

async function open() {
  const database = await createTestDatabase()
  for (const id of accounts) await saveCaller(database.db, { id, name: id, role: 'user' })
  return database
}

describe('accounts of one person', () => {
  test('CHAT-01 are those that were linked, also by way of another, and a link that is there is told', async () => {
    await using database = await open()
    const { db } = database
    const [a = '', b = '', c = '', d = ''] = accounts
    expect([...(await findAccounts(db, a))]).toEqual([a])
    expect(await linkAccounts(db, [a, b], b)).toBe(true)
    expect(await linkAccounts(db, [b, a], a)).toBe(false)
    expect(await linkAccounts(db, [b, c], c)).toBe(true)
    expect([...(await findAccounts(db, c))].sort()).toEqual([a, b, c])
    expect(await isSamePerson(db, a, c)).toBe(true)
    expect(await isSamePerson(db, a, d)).toBe(false)
    expect(await isSamePerson(db, d, d)).toBe(true)
    expect((await findLinkedAccounts(db)).map((row) => [row.callerId, row.linkedBy])).toEqual([
      [a, b],
      [b, b],
      [c, c],
    ])
  })

  test('CHAT-01 an account that is taken out is a person of its own, and so is one that is left alone', async () => {
    await using database = await open()
    const { db } = database
    const [a = '', b = '', c = ''] = accounts
    await linkAccounts(db, [a, b], b)
    await linkAccounts(db, [b, c], c)
    expect((await unlinkAccount(db, b)).toSorted()).toEqual([a, c])
    expect(await isSamePerson(db, a, b)).toBe(false)
    expect(await isSamePerson(db, a, c)).toBe(true)
    expect(await unlinkAccount(db, a)).toEqual([c])
    expect(await findLinkedAccounts(db)).toEqual([])
    expect(await unlinkAccount(db, a)).toEqual([])
  })

  test('CHAT-01 after random links and unlinks both lookups agree and no linked account is alone', async () => {
    await using database = await open()
    const { db, pool } = database
    const account = fc.constantFrom(...accounts)
    const change = fc.oneof(
      fc.tuple(fc.constant('link' as const), account, account),
      fc.tuple(fc.constant('unlink' as const), account, account),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 8 }), async (changes) => {
        await pool.query('delete from caller_link')
        for (const [kind, one, other] of changes) {
          if (kind === 'unlink') await unlinkAccount(db, one)
          else if (one !== other) await linkAccounts(db, [one, other], other)
        }
        const personOf = await readPeople(db)
        for (const one of accounts) {
          const own = await findAccounts(db, one)
          expect([...own].sort()).toEqual(
            accounts.filter((other) => personOf(other) === personOf(one)),
          )
        }
        const linked = await findLinkedAccounts(db)
        for (const { callerId } of linked) {
          expect((await findAccounts(db, callerId)).size).toBeGreaterThan(1)
        }
      }),
      { numRuns: 30 },
    )
  })
})
