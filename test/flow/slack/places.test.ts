import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
import { cardOf, copiesOf, openStage, type Stage, untilReads, wordsOf } from './stage.ts'

describe('where one talks through Slack', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const handled = () => stage.flow.slack.waitFor(() => stage.flow.slack.quiet)

  test('SLACK-01 threads of a channel are conversations of their own, and only a mention is for the app', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const ada = stage.guest()
    const channel = slack.channel({ name: 'threads', members: [ada], isPrivate: true })
    const scene = scenes.on('in thread', (request) => {
      const users = request.messages.filter(({ role }) => role === 'user')
      return say(`Heard ${users.map(({ text }) => text).join(', ')}.`)
    })
    const red = channel.say(ada, `${slack.mention} in thread red`)
    expect((await channel.waitForText('Heard in thread red.')).threadTs).toBe(red)
    const blue = channel.say(ada, 'a talk among ourselves')
    channel.say(ada, `${slack.mention} in thread blue`, { thread: blue })
    expect((await channel.waitForText('Heard in thread blue.')).threadTs).toBe(blue)
    channel.say(ada, 'not for you', { thread: red })
    channel.say(ada, `${slack.mention} in thread again`, { thread: red })
    const last = await channel.waitForText('Heard in thread red, in thread again.')
    expect(last.threadTs).toBe(red)
    await handled()
    expect(scene.requests).toHaveLength(3)
    expect(channel.topLevel().map(({ ts }) => ts)).toEqual([red, blue])
  })

  test('SLACK-01 LOOP-03 in direct messages of several a mention begins a thread too; a thread of a direct message is a conversation', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const [ada, bob] = [stage.guest(), stage.guest('bob')]
    scenes.on('among us', say('All of you.'))
    scenes.on('top', call('bash', { command: 'printf top' }), say('Top is done.'))
    scenes.on('below', say('Below is done.'))
    const several = slack.groupDm([ada, bob])
    several.say(bob, 'among us')
    const root = several.say(bob, `${slack.mention} among us`)
    expect((await several.waitForText('All of you.')).threadTs).toBe(root)
    expect(wordsOf(several)).toEqual(['All of you.'])
    const dm = slack.dm(ada)
    const top = dm.say(ada, 'top')
    const card = await cardOf(dm)
    dm.say(ada, 'below', { thread: top })
    expect((await dm.waitForText('Below is done.')).threadTs).toBe(top)
    await dm.click(ada, card.ts, 'Approve').outcome
    expect((await dm.waitForText('Top is done.')).threadTs).toBeUndefined()
  })

  test('SLACK-01 an assistant thread is offered prompts, named by the first message, and shows that something is thought of', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const ada = stage.guest()
    const assistant = slack.assistant(ada)
    await slack.waitFor(() => assistant.prompts !== undefined)
    expect(assistant.prompts?.prompts.map(({ title }) => title)).toEqual([
      'What can you do here?',
      'What is waiting for approval?',
      'How much have I used?',
    ])
    assistant.tapPrompt('How much have I used?')
    expect((await assistant.waitForText('Model:')).threadTs).toBe(assistant.threadTs)
    const gate = Promise.withResolvers<void>()
    scenes.on('plan the', async () => {
      await gate.promise
      return say('Planned.')
    })
    assistant.write('plan the   week\nand more')
    await slack.waitFor(() => assistant.status(assistant.threadTs) !== '')
    gate.resolve()
    const answer = await assistant.waitForText('Planned.')
    expect(answer.threadTs).toBe(assistant.threadTs)
    expect(assistant.status(assistant.threadTs)).toBe('')
    await slack.waitFor(() => assistant.title !== undefined)
    expect(assistant.title).toBe('plan the week and more')
  })

  test('SLACK-01 CHAT-03 slash commands are the commands; alone it is the list of them, and other words are a message', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const scene = scenes.on('hello there', say('Good day.'))
    const ada = stage.guest()
    const dm = slack.dm(ada)
    for (const [text, answer] of [
      ['status', 'Model:'],
      ['', 'Write what you want done.'],
      ['/approvals', 'othing is waiting'],
      ['hello there', 'Good day.'],
    ] as const) {
      const { outcome } = dm.command(ada, '/countersign', text)
      expect(await outcome).toMatchObject({ kind: 'acked' })
      await dm.waitForText(answer)
    }
    expect(scene.requests).toHaveLength(1)
    // Slack takes what begins with `/` for a command of its own, unless a blank is before it.
    dm.say(ada, ' /clear')
    await dm.waitForMessage(() => wordsOf(dm).length === 5)
    expect(wordsOf(dm).at(-1)).toMatch(/start|clear|fresh|forgotten|new/i)
  })

  test('SLACK-01 THREAT-7 a slash command of a stranger, or in a channel that the app is not in, does nothing there', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const scene = scenes.on('from outside', say('Never there.'))
    const [ada, mallory] = [stage.guest(), stage.stranger()]
    const channel = slack.channel({ name: 'without', members: [ada, mallory], app: false })
    expect(await channel.command(mallory, '/countersign', 'status').outcome).toMatchObject({
      kind: 'acked',
    })
    await channel.command(ada, '/countersign', 'from outside').outcome
    await slack.waitFor(() => scene.requests.length === 1)
    const dm = slack.dm(ada)
    scenes.on('still there', say('I am.'))
    dm.say(ada, 'still there')
    await dm.waitForText('I am.')
    expect(channel.botMessages()).toEqual([])
  })

  test('SLACK-01 CHAT-03 a command beside threads, where nothing is, says that it is to be written in the thread that it means', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const ada = stage.guest()
    const channel = slack.channel({ name: 'beside', members: [ada] })
    const hint = 'If you mean a thread, mention me there and write it again.'
    await channel.command(ada, '/countersign', 'stop').outcome
    expect((await channel.waitForText('Nothing is running.')).text).not.toContain(hint)
    const gate = Promise.withResolvers<void>()
    const scene = scenes.on('in a thread', async () => {
      await gate.promise
      return say('never')
    })
    const thread = channel.say(ada, `${slack.mention} in a thread`)
    await slack.waitFor(() => scene.requests.length === 1)
    const alone = ['approve', 'deny 3', 'retry', 'output']
    for (const text of ['stop', 'status', 'approvals', 'clear', ...alone])
      await channel.command(ada, '/countersign', text).outcome
    await flow.settled(channel.id)
    const hinted = [...channel.topLevel(), ...channel.ephemerals(ada)].map(({ text }) => text)
    expect(hinted.filter((text) => text.includes(hint))).toHaveLength(8)
    await channel.say(ada, `${slack.mention} /stop`, { thread })
    const stopped = await channel.waitForText('Stopped by ada')
    expect(stopped.threadTs).toBe(thread)
    expect(stopped.text).not.toContain(hint)
    gate.resolve()
  })

  test('THREAT-6 what a call gave is shown to whoever asks for it alone, where they write directly; never in a channel', async () => {
    const { flow, scenes } = stage
    const [ada, bob] = [stage.guest(), stage.guest('bob')]
    const channel = flow.slack.channel({ name: 'reading', members: [ada, bob] })
    scenes.on('look around', call('list_directory', { path: '.' }), say('Seen.'))
    const thread = channel.say(ada, `${flow.slack.mention} look around`)
    await channel.waitForText('Seen.')
    channel.say(bob, `${flow.slack.mention} /output`, { thread })
    await channel.waitForEphemeral(bob, 'That is not shown where others can read it.')
    const dm = flow.slack.dm(bob)
    scenes.on('good day', say('Good day.'))
    dm.say(bob, 'good day')
    await dm.waitForText('Good day.')
    channel.say(bob, `${flow.slack.mention} /output`, { thread })
    await dm.waitForText('Call 1, list_directory')
    await channel.waitForEphemeral(bob, 'Sent to you in a private chat.')
    expect(wordsOf(channel)).toEqual(['Seen.'])
    expect(channel.ephemerals(ada)).toEqual([])
    expect(channel.ephemerals(bob).map(({ threadTs }) => threadTs)).toEqual([thread, thread])
  })

  test('CHAT-08 what is written while a card waits is noted, and the card says so', async () => {
    const { flow, scenes } = stage
    const scene = scenes.on('guided', call('bash', { command: 'printf x' }), say('Guided.'))
    const ada = stage.guest()
    const dm = flow.slack.dm(ada)
    dm.say(ada, 'guided')
    const card = await cardOf(dm)
    dm.say(ada, 'mind the <gap> & *this*')
    await dm.waitForText('Noted. The model reads it at its next step.')
    await untilReads(dm, card.ts, /💬/)
    await dm.click(ada, card.ts, 'Approve').outcome
    await dm.waitForText('Guided.')
    expect(scene.lastHeard()).toContain('mind the <gap> & *this*')
    expect(copiesOf(dm)).toHaveLength(1)
  })
})
