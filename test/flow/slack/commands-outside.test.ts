import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pair } from '../../../src/cli/people/pair.ts'
import { Environment } from '../../../src/config/env.ts'
import { MemoryLog } from '../../adapters/chat/telegram/incoming/memory-log.ts'
import { say } from '../../support/scripted-model.ts'
import { openStage, type Stage } from './stage.ts'

const patience = { timeout: 60_000 }

describe('slash commands where the app is not', () => {
  let stage: Stage
  const log = new MemoryLog()
  beforeAll(async () => {
    stage = await openStage({ log })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const dead = () =>
    stage.flow.db.selectFrom('outbox').selectAll().where('state', '=', 'dead').execute()

  test('SLACK-01 CHAT-03 in a channel that the app is not in, whoever typed it is answered, and nobody else sees it', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const [ada, bob] = [stage.guest(), stage.guest('bob')]
    const channel = slack.channel({ name: 'without-us', members: [ada, bob], app: false })
    const command = channel.command(ada, '/countersign', 'status')
    expect(await command.outcome).toMatchObject({ kind: 'acked' })
    await channel.waitForEphemeral(ada, 'Model:')
    scenes.on('words from outside', say('Heard & understood.'))
    await channel.command(ada, '/countersign', 'words from outside').outcome
    const answer = await channel.waitForEphemeral(ada, 'Heard & understood.')
    expect(answer.text).toBe('Heard & understood.')
    expect(channel.ephemerals(bob)).toEqual([])
    expect(channel.botMessages()).toEqual([])
    await flow.settled(channel.id)
    expect(await dead()).toEqual([])
  })

  test('SLACK-01 THREAT-6 who else writes commands there gets nothing that answers another, though it comes later', async () => {
    const { flow, scenes } = stage
    const [ada, bob] = [stage.guest(), stage.guest('bob')]
    const channel = flow.slack.channel({ name: 'shared', members: [ada, bob], app: false })
    const gate = Promise.withResolvers<void>()
    const scene = scenes.on('for ada alone', async () => {
      await gate.promise
      return say('Ada’s answer.')
    })
    await channel.command(ada, '/countersign', 'for ada alone').outcome
    await flow.slack.waitFor(() => scene.requests.length === 1)
    await channel.command(bob, '/countersign', 'status').outcome
    await channel.waitForEphemeral(bob, 'Model:')
    await channel.command(bob, '/countersign', 'nosuchthing stop').outcome
    await channel.waitForEphemeral(bob, 'Noted. It gets its own turn')
    scenes.on('nosuchthing stop', say('Bob’s answer.'))
    gate.resolve()
    await channel.waitForEphemeral(ada, 'Ada’s answer.')
    await channel.waitForEphemeral(bob, 'Bob’s answer.')
    await flow.settled(channel.id)
    const wordsTo = (person: typeof ada) => channel.ephemerals(person).map(({ text }) => text)
    expect(wordsTo(ada)).toEqual(['Ada’s answer.'])
    expect(wordsTo(bob)).toEqual([
      expect.stringContaining('Model:'),
      expect.stringContaining('Noted.'),
      'Bob’s answer.',
    ])
    expect(await dead()).toEqual([])
  })

  test('SLACK-01 THREAT-6 what answers nobody, or somebody whose path is gone, takes no other path', async () => {
    const { flow } = stage
    const [ada, bob] = [stage.guest(), stage.guest('bob')]
    const channel = flow.slack.channel({ name: 'gone', members: [ada, bob], app: false })
    for (const person of [ada, bob]) {
      await channel.command(person, '/countersign', 'status').outcome
      await channel.waitForEphemeral(person, 'Model:')
    }
    await flow.settled(channel.id)
    const adasId = `slack:${flow.slack.teamId}:${ada.id}`
    const conversation = await flow.db
      .selectFrom('conversation')
      .select('id')
      .where('external_id', '=', channel.id)
      .executeTakeFirstOrThrow()
    await flow.db.deleteFrom('reply_path').where('caller_id', '=', adasId).execute()
    const before = (await dead()).length
    for (const addressee of [null, adasId]) {
      const body = JSON.stringify({ kind: 'notice', text: 'for one alone' })
      const row = { conversation_id: conversation.id, body, edit_of: null, addressee }
      await flow.db.insertInto('outbox').values(row).execute()
    }
    await expect.poll(async () => (await dead()).length, patience).toBe(before + 2)
    for (const person of [ada, bob])
      expect(JSON.stringify(channel.ephemerals(person))).not.toContain('for one alone')
  })

  test('SLACK-01 THREAT-25 a path that can be used no more is kept nowhere', async () => {
    const { flow } = stage
    const ada = stage.guest()
    const channel = flow.slack.channel({ name: 'forgotten', members: [ada], app: false })
    await channel.command(ada, '/countersign', 'status').outcome
    await channel.waitForEphemeral(ada, 'Model:')
    const kept = () =>
      flow.db
        .selectFrom('reply_path')
        .innerJoin('conversation', 'conversation.id', 'reply_path.conversation_id')
        .select('caller_id')
        .where('external_id', '=', channel.id)
        .execute()
    expect(await kept()).toHaveLength(1)
    const expires_at = new Date(Date.now() - 1_000)
    await flow.db.updateTable('reply_path').set({ expires_at }).execute()
    await expect.poll(kept, patience).toEqual([])
  })

  test('SLACK-01 THREAT-25 the address to answer at stands in no row and no log in clear', async () => {
    const { flow } = stage
    const ada = stage.guest()
    const channel = flow.slack.channel({ name: 'secretly', members: [ada], app: false })
    const { responseUrl = '', outcome } = channel.command(ada, '/countersign', 'status')
    await outcome
    await channel.waitForEphemeral(ada, 'Model:')
    await flow.settled(channel.id)
    const path = new URL(responseUrl).pathname
    for (const table of [
      'inbound_event',
      'outbox',
      'message',
      'audit_log',
      'reply_path',
    ] as const) {
      const kept = await flow.db.selectFrom(table).selectAll().execute()
      expect(JSON.stringify(kept), table).not.toContain(path)
    }
    expect(JSON.stringify(log.lines)).not.toContain(path)
  })

  test('CHAT-01 THREAT-7 direct messages of two other people are not private: no code is taken there', async () => {
    const { flow } = stage
    const { slack } = flow
    const [carol, dave] = [stage.stranger('carol'), stage.stranger('dave')]
    const theirs = slack.channel({
      name: 'theirs',
      members: [carol, dave],
      app: false,
      id: 'D0OTHERS01',
    })
    const environment = new Environment({ USER: 'olga', DATABASE_URL: flow.database.url })
    const signal = AbortSignal.timeout(30_000)
    const newCode = async () => {
      const how = { config: flow.config, environment, role: 'user', minutes: 10, signal } as const
      return (await pair(how)).code
    }
    const code = await newCode()
    await theirs.command(carol, '/countersign', code).outcome
    const dm = slack.dm(carol)
    dm.say(carol, 'who are you?')
    await dm.waitForText('This bot works for invited people only.')
    expect(theirs.ephemerals(carol)).toEqual([])
    // Others could read it there, so that it is void.
    dm.say(carol, code)
    await dm.waitForText('That code is not valid.')
    dm.say(carol, await newCode())
    await dm.waitForText('Welcome, carol.')
  })

  test('CHAT-06 a command whose address was used up, or is gone, becomes a dead letter as any other', async () => {
    const { flow } = stage
    const ada = stage.guest()
    const channel = flow.slack.channel({ name: 'used-up', members: [ada], app: false })
    for (let count = 1; count <= 2; count += 1) {
      await channel.command(ada, '/countersign', 'status').outcome
      await channel.waitForEphemeral(ada, 'Model:')
    }
    await flow.settled(channel.id)
    const before = (await dead()).length
    await flow.db
      .updateTable('reply_path')
      .set({ expires_at: new Date(0) })
      .execute()
    const id = (
      await flow.db
        .selectFrom('conversation')
        .select('id')
        .where('external_id', '=', channel.id)
        .executeTakeFirstOrThrow()
    ).id
    await flow.db
      .insertInto('outbox')
      .values({
        conversation_id: id,
        body: JSON.stringify({ kind: 'notice', text: 'too late' }),
        edit_of: null,
        addressee: `slack:${flow.slack.teamId}:${ada.id}`,
      })
      .execute()
    await expect.poll(async () => (await dead()).length, patience).toBe(before + 1)
  })
})
