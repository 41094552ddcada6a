import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
import { cardOf, openStage, type Stage, toGuest, wordsOf } from './stage.ts'

const slow = { name: 'slow.pdf', bytes: new TextEncoder().encode('slow') }
const quick = { name: 'quick.pdf', bytes: new TextEncoder().encode('quick') }

describe('LOOP-14 CHAT-07 /stop while files are fetched', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const uploads = () =>
    stage.flow.db.selectFrom('upload').select(['name', 'state']).orderBy('id').execute()

  test('LOOP-14 CHAT-07 sets aside what was said before it and says so, without waiting for the file; what comes after it is taken', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    const scene = scenes.on('[Files that came', say('I have it.'))
    flow.telegram.failNext('download', { kind: 'hang' })
    ada.chat.sendDocument(ada.user, slow, { caption: 'delete what it names' })
    await flow.telegram.waitFor(() => flow.telegram.faultsLeft === 0)
    ada.say('all of it')
    ada.say('and the rest')
    ada.say('/stop')
    await ada.chat.waitForText(
      'Nothing is running. Background jobs, if there were any, are ended. Discarded unread: “slow.pdf” and 3 messages.',
    )
    expect(await uploads()).toEqual([{ name: 'slow.pdf', state: 'told' }])
    ada.chat.sendDocument(ada.user, quick)
    // The one that hangs is let go of, long before its minute is over.
    await ada.chat.waitForText('I have it.', { timeoutMs: 45_000 })
    await flow.settled(ada.id)
    expect(scene.requests).toHaveLength(1)
    expect(scene.lastHeard()).not.toContain('slow.pdf')
    expect(wordsOf(ada.chat).slice(1)).toEqual(['Saved uploads/quick.pdf.', 'I have it.'])
    const messages = await flow.db.selectFrom('message').select('body').execute()
    expect(JSON.stringify(messages)).not.toMatch(/delete what it names|all of it|the rest/)
  })

  test('LOOP-14 CHAT-07 as the caption of a photo it does not wait for that, which is a message of its own behind it', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    scenes.on('wait for me', call('bash', { command: 'touch never; true' }), say('Over.'))
    const scene = scenes.on('[Files that came', say('I see it.'))
    ada.say('wait for me')
    await cardOf(ada.chat)
    flow.telegram.failNext('download', { kind: 'status', code: 502 })
    ada.chat.sendPhoto(ada.user, { caption: '/stop', album: '9' })
    ada.chat.sendPhoto(ada.user, { album: '9' })
    await ada.chat.waitForMessage(({ text }) => /^Stopped by Ada/.test(text))
    const files = flow.db.selectFrom('upload').select('state').where('album', '=', '9')
    expect((await files.execute()).map(({ state }) => state)).toContain('waiting')
    await ada.chat.waitForText('I see it.')
    await flow.settled(ada.id)
    expect(scene.requests).toHaveLength(1)
    expect(scene.lastHeard().match(/uploads\/photo-/g)).toHaveLength(2)
  })

  test('LOOP-14 CHAT-07 whoever stops the turn of another sets aside what both wrote, and nobody else’s', async () => {
    const { flow, scenes } = stage
    const at = `@${flow.telegram.bot.username}`
    const [ada, bob] = [stage.guest(), stage.guest('Bob')]
    const members = [ada.user, bob.user, stage.eve]
    const chat = flow.telegram.group({ id: -100_960, title: 'Ops', members })
    scenes.on('wait for me', call('bash', { command: 'touch never; true' }), say('Over.'))
    scenes.on('of Bob', say('For Bob.'))
    toGuest(ada.user, chat).say(`${at} wait for me`)
    await cardOf(chat)
    flow.telegram.failNext('download', { kind: 'hang' })
    chat.sendDocument(ada.user, slow, { caption: `${at} of Ada` })
    await flow.telegram.waitFor(() => flow.telegram.faultsLeft === 0)
    chat.sendDocument(stage.eve, quick, { caption: `${at} of Eve` })
    chat.sendDocument(bob.user, { ...quick, name: 'bob.pdf' }, { caption: `${at} of Bob` })
    toGuest(stage.eve, chat).say('/stop')
    await chat.waitForMessage(({ text }) =>
      /^Stopped by Eve.* Discarded unread: “slow\.pdf”, “quick\.pdf”, and 2 messages\.$/.test(text),
    )
    await chat.waitForText('For Bob.', { timeoutMs: 45_000 })
    await flow.settled(chat.id)
  })
})
