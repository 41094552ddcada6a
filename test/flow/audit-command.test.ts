import { expect, test } from 'vitest'
import { linkAccounts } from '../../src/db/people/caller-links.ts'
import { ada, bob, createFlow, eve, type Flow, olga } from '../support/flow.ts'
import { call, createScriptedModel, say } from '../support/scripted-model.ts'

/** What the last command is answered: its words, and the list below them. */
const told = async ({ db }: Flow) => {
  const row = await db
    .selectFrom('outbox')
    .select('body')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  const { text, quoted, file } = JSON.parse(row.body)
  return { text, quoted, file }
}

/** Ada's and Bob's calls, each in a conversation of their own. */
async function openFlow() {
  const model = createScriptedModel((request) => {
    const last = request.messages.at(-1)
    return last?.role === 'user'
      ? call('write', { path: 'a.txt', content: `${last.text}\u202E` })
      : say('Done.')
  })
  const flow = await createFlow({ model })
  await flow.say('by ada', ada, 'of-ada')
  await flow.say('by bob', bob, 'of-bob')
  return flow
}

test('CHAT-03 AUD-01 /audit shows people their own calls, and operators everybody’s, with nothing hidden in them', async () => {
  await using flow = await openFlow()
  await flow.say('/audit', ada, 'of-ada')
  const own = await told(flow)
  expect(own.text).toBe('The latest calls of test:ada, newest first; times are UTC.')
  expect(own.quoted).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d write: allow; success, \d+ ms\n {2}\{"path":"a.txt","content":"[^"]*by ada⟨U\+202E⟩"\}$/,
  )
  await flow.say('/audit', eve, 'of-eve')
  expect(await told(flow)).toEqual({ text: 'No calls of test:eve yet.' })
  await flow.say('/audit', olga, 'of-olga')
  const all = await told(flow)
  expect(all.text).toContain('of everybody')
  expect(all.quoted.match(/ test:\w+ write/g)).toEqual([' test:bob write', ' test:ada write'])
  await flow.say('/audit 1', olga, 'of-olga')
  expect((await told(flow)).quoted.split('\n')).toHaveLength(2)
  await flow.say('/audit mine', olga, 'of-olga')
  expect(await told(flow)).toEqual({ text: 'No calls of test:olga yet.' })
})

test('CHAT-03 THREAT-6 /audit where others read shows nothing there', async () => {
  await using flow = await openFlow()
  await flow.act({ kind: 'message', text: '/audit', isShared: true }, ada, 'group')
  await flow.quiet('group')
  const { text, quoted } = await told(flow)
  expect(quoted).toBeUndefined()
  expect(text).not.toContain('write')
})

test('CHAT-03 /audit counts the accounts of one person as theirs, and refuses what it does not know', async () => {
  await using flow = await openFlow()
  await linkAccounts(flow.db, [ada.id, bob.id], 'console:ada')
  await flow.say('/audit', ada, 'of-ada')
  expect((await told(flow)).quoted.split('\n')).toHaveLength(4)
  for (const words of ['0', '101', 'all', '5 5', '-1', 'mine mine']) {
    await flow.say(`/audit ${words}`, ada, 'of-ada')
    expect((await told(flow)).text).toBe('Usage: /audit [n] [mine], n = 1–100')
  }
})
