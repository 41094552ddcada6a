import { expect, test } from 'vitest'
import { pair } from '../../../src/cli/people/pair.ts'
import { Environment } from '../../../src/config/env.ts'
import { call, say } from '../../support/scripted-model.ts'
import { createTelegramFlow, type TelegramFlow } from '../../support/telegram-flow.ts'
import { createScenes } from './scenes.ts'
import { cardOf, openStage, toGuest, wordsOf } from './stage.ts'

const oneLine =
  'This bot works for invited people only. To get in, ask its operator for a pairing code, and send it here.'

async function codeFor(flow: TelegramFlow, role: 'user' | 'approver'): Promise<string> {
  const environment = new Environment({ USER: 'olga', DATABASE_URL: flow.database.url })
  const signal = AbortSignal.timeout(30_000)
  const { config } = flow
  return (await pair({ config, environment, role, minutes: 10, signal })).code
}

test('CHAT-01 somebody who is let in by nobody gets one line, and a code sent in private lets them in, once', async () => {
  await using stage = await openStage()
  const { flow, scenes } = stage
  const scene = scenes.on('hello', say('Good day.'))
  const carol = stage.stranger('Carol')
  for (const words of ['hello', 'hello?', '/start', '/status']) carol.say(words)
  await carol.chat.waitForText(oneLine)
  await flow.telegram.waitFor(() => flow.telegram.pendingUpdates().length === 0)
  const code = await codeFor(flow, 'user')
  carol.say('A2CD-23B5-EFG67')
  await carol.chat.waitForText('That code is not valid.')
  carol.say(code.toLowerCase())
  const welcome = await carol.chat.waitForText('Welcome, Carol.')
  expect(welcome.text).toContain('(role: user)')
  expect(wordsOf(carol.chat).filter((text) => text === oneLine)).toHaveLength(1)
  expect(scene.requests).toEqual([])
  carol.say('hello')
  await carol.chat.waitForText('Good day.')
  const dave = stage.stranger('Dave')
  dave.say(code)
  await dave.chat.waitForText('That code is not valid.')
  dave.say('hello')
  await flow.settled(dave.id)
  expect(scene.requests).toHaveLength(1)
  const stored = await flow.db.selectFrom('inbound_event').select('body').execute()
  expect(stored.map(({ body }) => body).join('\n')).not.toContain(code.slice(0, 4))
})

test('CHAT-01 CHAT-02 whoever paired as an approver answers the questions of others in a group', async () => {
  await using stage = await openStage()
  const { flow, scenes } = stage
  scenes.on('do it', call('bash', { command: 'printf x' }), say('Done.'))
  const ada = stage.guest()
  const carol = stage.stranger('Carol')
  const members = [ada.user, carol.user]
  const chat = flow.telegram.group({ id: -100_801, title: 'Ops', members })
  const carolHere = toGuest(carol.user, chat)
  toGuest(ada.user, chat).say(`@${flow.telegram.bot.username} do it`)
  const card = await cardOf(chat)
  expect((await carolHere.tap(card, 'Approve').answered).text).toBe('You may not answer this.')
  const shown = await codeFor(flow, 'approver')
  carolHere.say(`/pair ${shown}`)
  // Others could read it there.
  carol.say(shown)
  await carol.chat.waitForText('That code is not valid')
  carol.say(await codeFor(flow, 'approver'))
  await carol.chat.waitForText('(role: approver)')
  expect(wordsOf(chat)).toEqual([])
  expect((await carolHere.tap(card, 'Approve').answered).text).toBe('Approved.')
  await chat.waitForText('Done.')
  expect(chat.botMessages().find(({ id }) => id === card.id)?.text).toContain('Approved by Carol')
})

test('CHAT-01 THREAT-7 anonymous administrators, channels, other bots and messages by way of a bot get no word', async () => {
  await using stage = await openStage()
  const { flow, scenes } = stage
  const scene = scenes.on('run', say('Never.'))
  const { telegram } = flow
  const ada = stage.guest()
  const other = telegram.addUser({ id: 3001, first_name: 'Robot', username: 'robot', is_bot: true })
  const channel = telegram.channel({ id: -1_009_001, title: 'News' })
  const chat = telegram.group({ id: -100_802, title: 'Ops', members: [ada.user, other, stage.eve] })
  const at = `@${telegram.bot.username}`
  chat.sendAnonymously(`${at} run`)
  chat.post(`${at} run`, channel.chat)
  channel.post(`${at} run`)
  chat.send(other, `${at} run`)
  chat.send(ada.user, `${at} run`, { viaBot: other })
  ada.chat.send(ada.user, 'run', { viaBot: other })
  await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
  scenes.on('a person', say('At last.'))
  chat.send(ada.user, `${at} a person`)
  await chat.waitForText('At last.')
  const ours = chat.botMessages().filter(({ from }) => from.id === telegram.bot.id)
  expect(ours).toHaveLength(1)
  expect(channel.botMessages()).toEqual([])
  expect(ada.chat.botMessages()).toEqual([])
  expect(scene.requests).toEqual([])
})

test('CHAT-01 THREAT-7 a username of the configuration is pinned to the first account, and another one that takes it over is a stranger', async () => {
  const scenes = createScenes()
  const settings = { COUNTERSIGN_TELEGRAM_ALLOWED_USERS: '@Grace_H' }
  await using flow = await createTelegramFlow({ model: scenes, settings })
  scenes.on('hello', say('Good day, Grace.'))
  const { telegram } = flow
  const grace = telegram.addUser({ id: 501, first_name: 'Grace', username: 'grace_h' })
  const hers = telegram.privateChat(grace)
  hers.send(grace, 'hello')
  await hers.waitForText('Good day, Grace.')
  const renamed = telegram.addUser({ id: 501, first_name: 'Grace', username: 'admiral' })
  const thief = telegram.addUser({ id: 502, first_name: 'Thief', username: 'grace_h' })
  const his = telegram.privateChat(thief)
  his.send(thief, 'hello')
  await his.waitForText(oneLine)
  hers.send(renamed, 'hello again')
  await telegram.waitFor(() => hers.botMessages().length === 2)
  expect(his.botMessages()).toHaveLength(1)
})

test('CHAT-01 an empty list is nobody', async () => {
  const scenes = createScenes()
  const settings = {
    COUNTERSIGN_TELEGRAM_ALLOWED_USERS: '',
    COUNTERSIGN_TELEGRAM_APPROVERS: '',
    COUNTERSIGN_TELEGRAM_OPERATORS: '',
  }
  await using flow = await createTelegramFlow({ model: scenes, settings })
  const scene = scenes.on('hello', say('Never.'))
  const ada = flow.telegram.addUser({ id: 41, first_name: 'Ada' })
  const chat = flow.telegram.privateChat(ada)
  chat.send(ada, 'hello')
  await chat.waitForText(oneLine)
  expect(scene.requests).toEqual([])
})
