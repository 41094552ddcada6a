import { expect, test } from 'vitest'
import { ada } from '../../chaos/telegram/chat-place.ts'
import { createApart, untilReady } from '../../support/apart/create-apart.ts'

const patience = { timeoutMs: 60_000 }
const bob = { ...ada, id: 42, first_name: 'Bob', username: 'bob' }

test('CHAT-03 LOOP-01 /worker tells where tools run; an operator moves a conversation to another worker, with a transcript of its own', async () => {
  const settings = { COUNTERSIGN_TELEGRAM_OPERATORS: '41' }
  await using apart = await createApart({ people: [41, 42], settings })
  const { telegram, place } = apart
  const second = apart.start('worker', apart.workerNamed('second'))
  for (const role of ['gateway', 'agent', 'worker'] as const) {
    await untilReady(apart, role, apart.start(role))
  }
  await untilReady(apart, 'worker', second)
  await place.until('both workers are known', async (db) => {
    const known = await db.selectFrom('worker').select('name').execute()
    return known.length === 2 ? true : undefined
  })
  const [chat, other] = [telegram.privateChat(ada), telegram.privateChat(bob)]

  chat.send(ada, '/worker')
  const told = await chat.waitForText('Worker: ', patience)
  expect(told.text).toMatch(
    /^Worker: default \(sandbox \w+\)\nOthers: second \(sandbox \w+\)\n\/worker and a name/,
  )
  other.send(bob, '/worker second')
  await other.waitForText('Only an operator chooses the worker', patience)
  chat.send(ada, '/worker third')
  await chat.waitForText('There is no such worker.', patience)
  chat.send(ada, '/worker second')
  await chat.waitForText('Tools run at worker second from now on.', patience)

  chat.send(ada, 'run: echo there >> counter')
  const card = await chat.waitForMessage(({ text }) => text.startsWith('❯'), patience)
  chat.send(ada, '/worker default')
  await chat.waitForText('A turn is in progress here', patience)
  chat.tap(ada, card.id, 'Approve')
  await chat.waitForText('finished: run: echo there >> counter', patience)
  chat.send(ada, '/worker default')
  await chat.waitForText('Tools run at worker default from now on.', patience)
  chat.send(ada, 'hello')
  await chat.waitForText('heard: hello', patience)

  const { calls, sessions } = await place.look(async (db) => ({
    calls: await db.selectFrom('tool_call').select(['worker', 'state']).execute(),
    sessions: await db
      .selectFrom('session')
      .innerJoin('message', 'message.session_id', 'session.id')
      .select(['worker', 'body'])
      .where('role', '=', 'user')
      .where('session.conversation_id', 'in', (conversations) =>
        conversations.selectFrom('conversation').select('id').where('external_id', '=', '41'),
      )
      .execute(),
  }))
  expect(calls).toEqual([{ worker: 'second', state: 'succeeded' }])
  expect(sessions.map(({ worker, body }) => [worker, body])).toEqual([
    ['second', expect.stringContaining('run: echo there')],
    ['default', expect.stringContaining('hello')],
  ])
}, 240_000)
