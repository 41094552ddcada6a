import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listCommands } from '../../../src/core/inbox/commands/find-command.ts'
import { english } from '../../../src/domain/messages/messages.ts'
import { call, calls, say, toRequest } from '../../support/scripted-model.ts'
import {
  cardOf,
  copiesOf,
  dataOf,
  labels,
  openStage,
  type Stage,
  shown,
  storyOf,
  untilReads,
  wordsOf,
} from './stage.ts'

const stays = 'Noted. The model reads it at its next step. Approval 1 is still waiting.'

describe('messages and commands while a card waits', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('CHAT-08 APPR-09 a message is acknowledged at once, the card stays live and says so, and the model reads it at its next step', async () => {
    const scene = stage.scenes.on('guide me', call('bash', { command: 'printf x' }), say('Guided.'))
    const ada = stage.guest()
    ada.say('guide me')
    const card = await cardOf(ada.chat)
    ada.say('rather quietly, please')
    await ada.chat.waitForText(stays)
    const live = await untilReads(
      ada.chat,
      card,
      /💬 1 message kept meanwhile; the model reads it at its next step\. This still waits\./,
    )
    expect(labels(live)).toEqual(labels(card))
    ada.say('and slowly')
    await untilReads(ada.chat, card, /💬 2 messages kept meanwhile/)
    expect(scene.requests).toHaveLength(1)
    ada.tap(card, 'Approve')
    await ada.chat.waitForText('Guided.')
    await stage.flow.settled(ada.id)
    expect(shown(ada.chat, card).text).not.toContain('💬')
    expect(scene.lastHeard()).toContain('rather quietly, please')
    expect(scene.lastHeard()).toContain('and slowly')
    expect(scene.requests).toHaveLength(2)
  })

  test('APPR-09 CHAT-08 plain words approve nothing, and neither does a reply to the card', async () => {
    stage.scenes.on('words only', call('bash', { command: 'printf x' }), say('Ran.'))
    const ada = stage.guest()
    ada.say('words only')
    const card = await cardOf(ada.chat)
    const words = ['yes', 'approve', 'Approve', 'y', 'always', 'ok', '👍', 'approve 1']
    for (const word of words) ada.say(word, { replyTo: card.id })
    await untilReads(ada.chat, card, new RegExp(`💬 ${words.length} messages kept`))
    await stage.flow.settled(ada.id)
    expect(new Set(storyOf(ada.chat, card))).toEqual(new Set(['waiting']))
    expect(new Set(wordsOf(ada.chat))).toEqual(new Set([stays]))
    ada.say('/approve')
    await ada.chat.waitForText('Ran.')
  })

  test('APPR-09 CHAT-03 /approve, /always and /deny answer the card with their number', async () => {
    const scene = stage.scenes.on(
      'by number',
      calls([
        toRequest('bash', { command: 'printf one' }),
        toRequest('bash', { command: 'touch two' }),
        toRequest('bash', { command: 'mkdir three' }),
      ]),
      say('All answered.'),
    )
    const ada = stage.guest()
    ada.say('by number')
    const first = await cardOf(ada.chat, 1)
    const second = await cardOf(ada.chat, 2)
    const third = await cardOf(ada.chat, 3)
    ada.say('/approve')
    await ada.chat.waitForText('3 approvals are waiting (1, 2, 3); say which, as in /approve 1.')
    ada.say('/approve 9')
    await ada.chat.waitForText('There is no approval 9. /approvals lists what is waiting.')
    ada.say('/deny 3 because of the name')
    await untilReads(ada.chat, third, /🚫 Denied by Ada.*, .*: because of the name$/)
    ada.say('/always 2')
    ada.say('/approve 1')
    await ada.chat.waitForText('All answered.')
    await stage.flow.settled(ada.id)
    expect(storyOf(ada.chat, first).at(-1)).toBe('finished')
    expect(storyOf(ada.chat, second).at(-1)).toBe('finished')
    expect(scene.lastHeard()).toContain('rejected by user: because of the name')
    ada.say('/approve 3')
    await ada.chat.waitForText('Already denied by Ada')
  })

  test('APPR-09 /approvals posts the card again, both copies work and both are edited', async () => {
    const steps = [call('bash', { command: 'printf x' }), say('Ran.')]
    stage.scenes.on('post again', ...steps)
    for (const tapped of [0, 1]) {
      const ada = stage.guest()
      ada.say('post again')
      await cardOf(ada.chat)
      ada.say('/approvals')
      await stage.flow.telegram.waitFor(() => copiesOf(ada.chat).length === 2)
      const copies = copiesOf(ada.chat)
      const copy = copies[tapped]
      if (copy === undefined) throw new Error('no copy')
      expect(await ada.tap(copy, 'Approve').answered).toMatchObject({ text: 'Approved.' })
      await ada.chat.waitForText('Ran.')
      for (const each of copies) {
        expect((await untilReads(ada.chat, each, /→ exit 0/)).buttons).toEqual([])
      }
      ada.say('/approvals')
      await ada.chat.waitForText('Nothing is waiting for an answer.')
    }
  })

  test('CHAT-03 /start, /help, /status, an unknown command and one with the bot’s name answer; commands are registered', async () => {
    const { telegram } = stage.flow
    stage.scenes.on('status please', call('bash', { command: 'printf x' }), say('Ran.'))
    const ada = stage.guest()
    ada.say('/start')
    const hello = await ada.chat.waitForText('Hello, Ada')
    for (const { name } of listCommands(english)) expect(hello.text).toContain(`/${name}`)
    ada.say(`/help@${telegram.bot.username}`)
    await ada.chat.waitForMessage(
      ({ from, text }) => from.kind === 'bot' && text.startsWith('Write'),
    )
    ada.say('/nonsense <b>')
    await ada.chat.waitForText('There is no command /nonsense. /help lists them.')
    ada.say('status please')
    const card = await cardOf(ada.chat)
    ada.say('/status')
    const status = await ada.chat.waitForText('Model:')
    expect(status.text).toMatch(/Model: .*scripted/)
    expect(status.text).toContain('waiting for an answer: 1')
    expect(status.text).toMatch(/Tool calls: 1 of unlimited/)
    expect(storyOf(ada.chat, card)).toEqual(['waiting'])
    expect(telegram.commands().map(({ command }) => command)).toEqual(
      listCommands(english).map(({ name }) => name),
    )
  })

  test('LOOP-14 CHAT-03 /stop while cards wait cancels them, and each says who stopped it', async () => {
    stage.scenes.on(
      'stop waiting',
      calls([
        toRequest('bash', { command: 'printf one' }),
        toRequest('bash', { command: 'printf two' }),
      ]),
      say('never'),
    )
    const ada = stage.guest()
    ada.say('stop waiting')
    const cards = [await cardOf(ada.chat, 1), await cardOf(ada.chat, 2)]
    ada.say('/stop')
    await ada.chat.waitForText('Stopped by Ada')
    for (const card of cards) {
      const stopped = await untilReads(
        ada.chat,
        card,
        /⚪ Cancelled: stopped by Ada(?: \(@\w+\))?$/,
      )
      expect(stopped.buttons).toEqual([])
      const late = await ada.chat.tapRaw(ada.user, card.id, dataOf(card, 'Approve')).answered
      expect(late.text).toMatch(
        /^Stopped by Ada(?: \(@\w+\))? (?:at|on) (?:\d+ [A-Z][a-z]{2} )?\d\d:\d\d UTC\.$/,
      )
    }
    await stage.flow.settled(ada.id)
    expect(wordsOf(ada.chat)).toEqual([expect.stringMatching(/^Stopped by Ada(?: \(@\w+\))?\.$/)])
    ada.say('/stop')
    await ada.chat.waitForText('Nothing is running')
  })
})

test('CHAT-03 LOOP-13 /clear resets a quota that is used up, and a waiting card says that it was cleared', async () => {
  await using stage = await openStage({
    settings: { COUNTERSIGN_TOOLS_MAX_TOOL_CALLS_PER_SESSION: '1' },
  })
  const scene = stage.scenes.on('count', call('bash', { command: 'printf x' }), say('Counted.'))
  const ada = stage.guest()
  ada.say('count one')
  ada.tap(await cardOf(ada.chat), 'Approve')
  await ada.chat.waitForText('Counted.')
  ada.say('count two')
  const blocked = await ada.chat.waitForText('The quota of 1 tool calls a session is used up')
  expect(blocked.text).toContain('/clear')
  expect(copiesOf(ada.chat, 2)).toEqual([])
  await stage.flow.settled(ada.id)
  expect(scene.lastHeard()).toContain('quota_blocked')
  ada.say('/clear')
  await ada.chat.waitForText('Cleared: a fresh transcript, and the quota is reset')
  ada.say('count three')
  const card = await cardOf(ada.chat, 2)
  expect(scene.lastHeard()).toBe('count three')
  ada.say('/clear')
  const cleared = await untilReads(ada.chat, card, /⚪ Cancelled: cleared/)
  expect(cleared.buttons).toEqual([])
})
