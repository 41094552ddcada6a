import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { handleInbox } from '../../../../src/core/inbox/handle.ts'
import { receive } from '../../../../src/core/inbox/store-event.ts'
import { newId } from '../../../../src/util/ids.ts'
import { ada, type BenchContext, createBenchContext, eve } from '../../../support/bench-context.ts'
import { call, createScriptedModel, say } from '../../../support/scripted-model.ts'

const open = () =>
  createBenchContext(createScriptedModel([call('bash', { command: 'x' }), say('done')]))

function turns({ database: { db } }: BenchContext) {
  return db.selectFrom('turn').selectAll().orderBy('created_at').execute()
}

async function unread({ database: { db } }: BenchContext): Promise<readonly string[]> {
  const rows = await db.selectFrom('message').select('body').where('position', 'is', null).execute()
  return rows.map(({ body }) => body)
}

/** Who is told of it, and in what words. */
async function told({ database: { db } }: BenchContext) {
  const rows = await db.selectFrom('outbox').select(['body', 'addressee']).orderBy('id').execute()
  return rows.map(({ body, addressee }) => ({ text: JSON.parse(body).text, addressee })).at(-1)
}

test.each([
  ['a minute before it began', -60_000, 'queued'],
  ['a moment before it began, by clocks that differ', -1_000, 'stopped'],
  ['while it ran', 1_000, 'stopped'],
])(
  'LOOP-14 SLACK-05 a Stop of the platform that was pressed %s is of that turn or of none',
  async (_when, afterMs, state) => {
    await using bench = await open()
    await bench.say('go')
    const pressedAt = ((await turns(bench))[0]?.created_at.getTime() ?? 0) + afterMs
    await bench.act({ kind: 'stop', pressedAt })
    expect(await turns(bench)).toMatchObject([{ state }])
  },
)

test('LOOP-14 SLACK-05 pressed a moment before the turn before it ended, it is not of the next, nor is a second press of the same moment', async () => {
  await using bench = await open()
  await bench.say('go')
  await bench.step()
  await bench.say('and then this', eve)
  const stop = { kind: 'stop', pressedAt: Date.now() - 50 } as const
  await bench.act(stop)
  await bench.act(stop)
  expect(await turns(bench)).toMatchObject([
    { caller_id: ada.id, state: 'stopped' },
    { caller_id: eve.id, state: 'queued' },
  ])
})

test('LOOP-14 SLACK-05 what was written after it was pressed is not taken for what it stops, however late it comes', async () => {
  await using bench = await open()
  await bench.say('go')
  await bench.step()
  await bench.say('rather do this')
  const pressedAt = Date.now() - 60_000
  const { db } = bench.database
  await sql`update turn set created_at = ${new Date(pressedAt - 1_000)}`.execute(db)
  await bench.act({ kind: 'stop', pressedAt })
  expect(await unread(bench)).toEqual(['rather do this'])
  expect(await turns(bench)).toMatchObject([{ state: 'stopped' }, { state: 'queued' }])
})

test('LOOP-14 /stop by an approver sets aside what they wrote before it too, and says so', async () => {
  await using bench = await open()
  await bench.say('go')
  await bench.step()
  await bench.say('deploy', eve)
  await bench.say('/stop', eve)
  expect((await told(bench))?.text).toBe('Stopped by Eve. Discarded unread: 1 message.')
  expect(await unread(bench)).toEqual([])
  expect(await turns(bench)).toMatchObject([{ state: 'stopped' }])
})

test('LOOP-14 APPR-18 SLACK-01 a Stop where the card is shown elsewhere is told to whose turn it was, a Stop in its own place to whoever pressed it', async () => {
  for (const conversation of ['room', 'elsewhere']) {
    await using bench = await open()
    await bench.say('go')
    await bench.step()
    const [turn] = await turns(bench)
    const body = { kind: 'stop', turnId: turn?.id ?? '' } as const
    const inbound = { platform: 'test', externalId: newId(), conversation, callerId: eve.id, body }
    const { conversationId } = await receive(bench.ctx, inbound)
    await handleInbox(bench.ctx, conversationId)
    const addressee = conversation === 'room' ? eve.id : ada.id
    expect(await told(bench)).toEqual({ text: 'Stopped by Eve.', addressee })
  }
})
