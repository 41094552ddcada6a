import { expect, test } from 'vitest'
import { findConfiguredRoles, findPeople } from '../../../src/app/list-people.ts'
import {
  findAnswerer,
  findPresent,
  isAccount,
  isOfOtherTeam,
} from '../../../src/core/people/people.ts'
import { findKnownCaller, saveCaller, savePairedRole } from '../../../src/db/people/callers.ts'
import { savePlatformTeam } from '../../../src/db/people/platform-teams.ts'
import { pinUsername } from '../../../src/db/people/username-pins.ts'
import { createBenchContext } from '../../support/bench-context.ts'
import { createScriptedModel } from '../../support/scripted-model.ts'

const old = 'slack:T0OLD00001:U012AB3CD'
const now = 'slack:T0NEW00001:U012AB3CD'
const lists = { users: ['U012AB3CD', 'ada'], approvers: [], operators: [] }

async function moved() {
  const bench = await createBenchContext(createScriptedModel([]))
  const { db } = bench.database
  for (const id of [old, now]) await saveCaller(db, { id, name: id, role: 'user' })
  await savePairedRole(db, { id: 'slack:T0OLD00001:U0PAIRED01', name: 'Pat' }, 'operator')
  await saveCaller(db, { id: 'slack:T0OLD00001:U0ADA00001', name: 'Ada', role: 'user' })
  await pinUsername(db, 'slack', 'ada', 'slack:T0OLD00001:U0ADA00001')
  return Object.assign(bench, { db, people: { ...bench.ctx, people: { slack: lists } } })
}

test('CHAT-01 THREAT-7 after a move to another workspace whoever was listed, pinned or paired in the old one is nobody', async () => {
  await using bench = await moved()
  const { db, people } = bench
  const before = [old, 'slack:T0OLD00001:U0ADA00001', 'slack:T0OLD00001:U0PAIRED01']
  for (const id of before) expect(await findAnswerer(people, db, id), id).toBeDefined()
  expect(await savePlatformTeam(db, 'slack', 'T0OLD00001')).toBeUndefined()
  for (const id of before) expect(await findAnswerer(people, db, id), id).toBeDefined()
  expect(await findAnswerer(people, db, now)).toBeUndefined()
  expect(await savePlatformTeam(db, 'slack', 'T0NEW00001')).toBe('T0OLD00001')
  for (const id of before) {
    expect(await findAnswerer(people, db, id), id).toBeUndefined()
    const event = { platform: 'slack', caller_id: id }
    const known = await findKnownCaller(db, id)
    expect(await findPresent(people, db, event, known), id).toBeUndefined()
    expect(await isOfOtherTeam(db, id)).toBe(true)
  }
  expect(await findAnswerer(people, db, now)).toMatchObject({ role: 'user' })
})

test('CHAT-01 people of platforms without teams are of no other', async () => {
  await using bench = await moved()
  await savePlatformTeam(bench.db, 'slack', 'T0NEW00001')
  for (const id of ['telegram:42', 'console:ada', 'slack:ada', ''])
    expect(await isOfOtherTeam(bench.db, id), id).toBe(false)
})

test('CHAT-01 a listed id of Slack means the member of the team that is served', () => {
  expect(isAccount('slack:U012AB3CD', now, 'T0NEW00001')).toBe(true)
  expect(isAccount('slack:U012AB3CD', old, 'T0NEW00001')).toBe(false)
  expect(isAccount('slack:U012AB3CD', old)).toBe(true)
})

test('CHAT-01 the list of people on Slack shows everybody whom an entry means, by their whole ids', async () => {
  await using bench = await moved()
  const { db } = bench
  const shown = async () => {
    const people = await findPeople(db, await findConfiguredRoles(db, { slack: lists }))
    return people.map(({ id, role, configured }) => [id, role, configured])
  }
  expect(await shown()).toEqual([
    ['slack:T0NEW00001:U012AB3CD', 'user', 'user'],
    ['slack:T0OLD00001:U012AB3CD', 'user', 'user'],
    ['slack:T0OLD00001:U0ADA00001', 'user', 'user'],
    ['slack:T0OLD00001:U0PAIRED01', 'operator', undefined],
  ])
  await savePlatformTeam(db, 'slack', 'T0NEW00001')
  expect((await shown()).map(([id]) => id)).toEqual(['slack:@ada', 'slack:T0NEW00001:U012AB3CD'])
})
