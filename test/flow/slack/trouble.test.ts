import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
import type { Fault } from '../../support/slack/limits/faults.ts'
import { createSlackFlow } from '../../support/slack-flow.ts'
import { createScenes } from '../telegram/scenes.ts'
import { counting, runs } from '../workspace-commands.ts'
import { cardOf, copiesOf, openStage, type Stage, storyOf, untilReads, wordsOf } from './stage.ts'

describe('trouble with Slack', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const faults: readonly (readonly [string, Fault])[] = [
    ['a connection lost before', { kind: 'drop-before' }],
    ['a fatal error', { kind: 'error', error: 'fatal_error' }],
    ['an error 503 of a proxy', { kind: 'status', code: 503 }],
    ['a connection lost after', { kind: 'drop-after' }],
    ['an answer that is none', { kind: 'garbled' }],
  ]

  test('CHAT-06 SLACK-01 lost connections, errors and answers of proxies are survived: nothing is lost, and the order stays', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const trouble = faults.map(([name, fault], index) => {
      const opening = `trouble ${index}`
      scenes.on(opening, call('bash', { command: 'printf x' }), say(`Answer after ${name}.`))
      const ada = stage.guest()
      let met = 0
      return { ada, dm: slack.dm(ada), name, opening, fault, isMet: () => met++ === 0 }
    })
    slack.fault = ({ method, params }) =>
      method === 'chat.postMessage'
        ? trouble.find(({ dm, isMet }) => params['channel'] === dm.id && isMet())?.fault
        : undefined
    try {
      for (const { ada, dm, opening } of trouble) dm.say(ada, opening)
      for (const { ada, dm, name, fault } of trouble) {
        const card = await cardOf(dm)
        dm.say(ada, ' /status')
        await dm.waitForText('Model:')
        await dm.click(ada, card.ts, 'Approve').outcome
        const answer = `Answer after ${name}.`
        await dm.waitForMessage(({ text }) => text === answer)
        await flow.settled(dm.id)
        const [status, ...rest] = wordsOf(dm)
        expect(status).toContain('Model:')
        expect(rest).toEqual([answer])
        const twice = fault.kind === 'drop-after' || fault.kind === 'garbled'
        expect([name, copiesOf(dm).length]).toEqual([name, twice ? 2 : 1])
        for (const { ts } of copiesOf(dm)) await untilReads(dm, ts, /→ exit 0|Approved by ada/)
      }
    } finally {
      slack.fault = undefined
    }
  })

  test('CHAT-06 SLACK-03 a request to wait is obeyed: nothing is sent too early, nothing is lost, and the order stays', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const early = slack.tooEarly
    scenes.on('busy', call('bash', { command: 'printf x' }), say('After a wait.'))
    const ada = stage.guest()
    const dm = slack.dm(ada)
    slack.failNext('chat.postMessage', { kind: '429', retryAfter: 2 })
    const asked = Date.now()
    dm.say(ada, 'busy')
    const card = await cardOf(dm)
    expect(card.at - asked).toBeGreaterThanOrEqual(2_000)
    slack.failNext('chat.postMessage', { kind: '429', retryAfter: 2 })
    dm.say(ada, ' /status')
    await dm.click(ada, card.ts, 'Approve').outcome
    await dm.waitForText('After a wait.')
    await flow.settled(dm.id)
    expect(wordsOf(dm)).toEqual([expect.stringContaining('Model:'), 'After a wait.'])
    expect(copiesOf(dm)).toHaveLength(1)
    expect(slack.tooEarly).toBe(early)
  })

  test('CHAT-06 APPR-05 an edit that fails comes again, and the card ends with the outcome', async () => {
    const { flow, scenes } = stage
    scenes.on('edit trouble', call('bash', { command: 'printf x' }), say('Ran.'))
    const ada = stage.guest()
    const dm = flow.slack.dm(ada)
    dm.say(ada, 'edit trouble')
    const card = await cardOf(dm)
    flow.slack.failNext('chat.update', { kind: 'drop-after' }, { kind: '429', retryAfter: 1 })
    await dm.click(ada, card.ts, 'Approve').outcome
    await dm.waitForText('Ran.')
    await untilReads(dm, card.ts, /→ exit 0/)
    const story = storyOf(dm, card)
    expect(story).toEqual([...new Set(story)])
  })

  test('CHAT-06 APPR-05 a card that somebody deleted holds up nothing', async () => {
    const { flow, scenes } = stage
    scenes.on('deleted card', call('bash', { command: 'printf x' }), say('Ran all the same.'))
    const ada = stage.guest()
    const dm = flow.slack.dm(ada)
    dm.say(ada, 'deleted card')
    const card = await cardOf(dm)
    dm.delete(card.ts)
    dm.say(ada, ' /approve 1')
    await dm.waitForText('Ran all the same.')
    await flow.settled(dm.id)
  })

  test('SLACK-01 LOOP-04 connections that break, and events that come twice, lose nothing and repeat nothing', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    slack.retryDelaysMs = [200, 500, ...Array<number>(60).fill(1_000)]
    const scene = scenes.on('broken line', call('bash', { command: counting }), say('Once.'))
    const ada = stage.guest()
    const dm = slack.dm(ada)
    const ever = slack.sockets.ever
    slack.dropSockets()
    dm.say(ada, 'broken line')
    const card = await cardOf(dm)
    expect(slack.sockets.ever).toBeGreaterThan(ever)
    for (const record of slack.deliveries.slice(-1)) slack.repeat(record)
    slack.askToReconnect()
    await slack.waitFor(() => slack.sockets.ever > ever + 1 && slack.sockets.open > 0)
    await dm.click(ada, card.ts, 'Approve').outcome
    await dm.waitForText('Once.')
    expect(await runs(stage, dm.id)).toBe(1)
    expect(copiesOf(dm)).toHaveLength(1)
    expect(scene.requests).toHaveLength(2)
    expect(wordsOf(dm)).toEqual(['Once.'])
  })
})

test('CHAT-06 DECISION-26 what a channel that was archived cannot be told is given up, operators are told, and others go on', async () => {
  await using stage = await openStage({
    settings: { COUNTERSIGN_LOGGING_ALERTS_TO: 'slack:D0OLGAHOME' },
  })
  const { flow, scenes } = stage
  const { slack } = flow
  const gate = Promise.withResolvers<void>()
  scenes.on('archive', async () => {
    await gate.promise
    return say('Not to be read.')
  })
  scenes.on('are you there', say('I am.'))
  const [ada, bob] = [stage.guest(), stage.guest('bob')]
  const channel = slack.channel({ name: 'short-lived', members: [ada] })
  const alerts = slack.channel({ name: 'alerts', members: [stage.olga], id: 'D0OLGAHOME' })
  channel.say(ada, `${slack.mention} archive`)
  await slack.waitFor(() => slack.quiet)
  channel.archive()
  gate.resolve()
  const alert = await alerts.waitForText('could not be delivered')
  expect(alert.text).toContain('the channel is archived')
  const dm = slack.dm(bob)
  dm.say(bob, 'are you there')
  await dm.waitForText('I am.')
  channel.archive(false)
  channel.say(ada, `${slack.mention} are you there`)
  await channel.waitForText('I am.')
  expect(wordsOf(channel)).toEqual(['I am.'])
  expect(JSON.stringify(alerts.messages())).not.toContain(slack.botToken)
})

test('STORE-04 SLACK-01 LOOP-04 an event is confirmed only when its row is committed, and comes again until then', async () => {
  await using stage = await openStage({
    slack: { retryDelaysMs: [500, ...Array<number>(60).fill(1_000)] },
  })
  const { flow, scenes } = stage
  const { slack } = flow
  const scene = scenes.on('keep me', say('Kept.'))
  scenes.on('hello', say('Hello.'))
  const ada = stage.guest()
  const dm = slack.dm(ada)
  dm.say(ada, 'hello')
  await dm.waitForText('Hello.')
  await flow.db.transaction().execute(async (held) => {
    // Whoever wants to store a row waits for us.
    await sql`lock table inbound_event in exclusive mode`.execute(held)
    dm.say(ada, 'keep me')
    await delay(1_000)
    expect(slack.quiet).toBe(false)
    expect(slack.deliveries.at(-1)?.tries).toEqual([])
    await dm.waitForEphemeral(ada, 'The database is unavailable')
  })
  await dm.waitForText('Kept.')
  await slack.waitFor(() => slack.quiet)
  expect(slack.deliveries.at(-1)?.state).toBe('acked')
  await flow.settled(dm.id)
  expect(scene.requests).toHaveLength(1)
  expect(wordsOf(dm)).toEqual(['Hello.', 'Kept.'])
})

test('APPR-01 SLACK-01 CHAT-06 a restart while a card waits loses nothing: what was written meanwhile counts, and the same card is edited', async () => {
  const model = createScenes()
  const settings = { COUNTERSIGN_SLACK_ALLOWED_USERS: 'U0ADA00001' }
  const slack = { retryDelaysMs: [500, ...Array<number>(60).fill(1_000)] }
  await using first = await createSlackFlow({ model, settings, slack })
  const standIn = first.slack
  const scene = model.on('survive', call('bash', { command: 'printf x' }), say('Survived.'))
  const ada = standIn.user('ada', { id: 'U0ADA00001' })
  const dm = standIn.dm(ada)
  dm.say(ada, 'survive')
  const card = await cardOf(dm)
  await first.settled(dm.id)
  await dm.click(ada, card.ts, 'Deny').outcome
  const form = await standIn.waitForModal(ada)
  await first.served[Symbol.asyncDispose]()
  await first.product[Symbol.asyncDispose]()
  dm.say(ada, 'while you were away')
  await using second = await createSlackFlow({ model, over: first, standIn, settings })
  await dm.waitForText('Noted')
  // A form that another process opened.
  expect(await form.submit({ written: 'not any more' })).toMatchObject({ kind: 'acked' })
  await dm.waitForText('Survived.')
  await untilReads(dm, card.ts, /🚫 Denied by ada.*: not any more$/)
  await second.settled(dm.id)
  expect(copiesOf(dm)).toHaveLength(1)
  expect(scene.lastHeard()).toContain('rejected by user: not any more')
  expect(scene.lastHeard()).toContain('while you were away')
  expect(wordsOf(dm).filter((text) => text === 'Survived.')).toHaveLength(1)
})
