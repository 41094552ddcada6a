import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { findWaitingInbound, findWaitingInboxes } from '../../../src/db/outbox/inbox.ts'
import { inGroup, openDoor, person } from './door.ts'

const ada = person(41, 'Ada')
const bob = person(42, 'Bob')

/** What may be handled now in the group, in its order. */
async function dueIn(door: Awaited<ReturnType<typeof openDoor>>): Promise<readonly string[]> {
  const { db } = door.database
  const [group] = await findWaitingInboxes(db)
  const events = group === undefined ? [] : await findWaitingInbound(db, group, 100)
  return events.map(({ body }) => JSON.parse(body).text)
}

test('REL-03 a person who floods is slowed and told once, in the same chat nobody else is, and nothing is lost', async () => {
  await using door = await openDoor({ users: ['41', '42'] }, { messagesPerMinute: 3 })
  const { db } = door.database
  for (let index = 1; index <= 8; index += 1) await door.say(ada, `flood ${index}`, inGroup)
  await door.say(bob, 'hello', inGroup)
  await door.say(ada, '/stop', inGroup)
  await door.say(ada, '/deny 3 no', inGroup)
  expect(await dueIn(door)).toEqual([
    'flood 1',
    'flood 2',
    'flood 3',
    'hello',
    '/stop',
    '/deny 3 no',
  ])
  expect((await door.sent()).map(({ text }) => text)).toEqual([
    expect.stringMatching(/^You are sending more than 3 messages a minute\. Nothing is lost/),
  ])
  const age = (minutes: number) =>
    sql`update inbound_event set received_at = received_at - make_interval(mins => ${minutes}),
      not_before = not_before - make_interval(mins => ${minutes})`.execute(db)
  await age(1)
  expect((await dueIn(door)).filter((text) => text.startsWith('flood'))).toHaveLength(6)
  await age(1)
  expect((await dueIn(door)).filter((text) => text.startsWith('flood'))).toHaveLength(8)
  await age(1)
  await door.say(ada, 'later', inGroup)
  expect(await dueIn(door)).toContain('later')
  expect(await door.sent()).toHaveLength(1)
})

test('REL-03 the same update twice is counted once', async () => {
  await using door = await openDoor({ users: ['41'] }, { messagesPerMinute: 1 })
  await door.say(ada, 'one', { ...inGroup, externalId: '7' })
  await door.say(ada, 'one', { ...inGroup, externalId: '7' })
  expect(await dueIn(door)).toEqual(['one'])
  expect(await door.sent()).toEqual([])
})
