import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelAnswer, ModelRequest } from '../../../src/ports/model.ts'
import { call, say } from '../../support/scripted-model.ts'
import { counting, runs } from '../workspace-commands.ts'
import { cardOf, labels, openStage, type Stage, untilReads } from './stage.ts'

/** Writes for longer than any test waits. */
async function endlessly({ onText, signal }: ModelRequest): Promise<ModelAnswer> {
  for (let word = 0; word < 3_000; word += 1) {
    onText?.(`word${word} `)
    await delay(100, undefined, { signal })
  }
  return say('never')
}

describe('the main job through Slack', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('APPR-01 APPR-03 APPR-05 APPR-13 SLACK-01 SLACK-02 a direct message leads to a card, a click to the command, its end to the card and the answer', async () => {
    const { flow, scenes } = stage
    scenes.on(
      'make it',
      call('bash', { command: 'touch made.txt && ls made.txt' }),
      say('It is **made**.'),
    )
    const ada = stage.guest()
    const dm = flow.slack.dm(ada)
    dm.say(ada, 'make it')
    const card = await cardOf(dm)
    expect(card.text).toMatch(/^❯ ada.*'s agent wants to run a command:\n/)
    expect(card.text).toContain('touch made.txt && ls made.txt')
    expect(labels(card)).toEqual([...['Approve', 'Always…', 'Deny'], ...['Edit', '⋯']])
    expect(await dm.click(ada, card.ts, 'Approve').outcome).toMatchObject({ kind: 'acked' })
    await dm.waitForText('It is made.')
    await flow.settled(dm.id)
    expect(dm.message(card.ts).text).toMatch(/✅ Approved by ada.* → exit 0 \(\d+\.\d s\)(?:\n|$)/)
    expect(dm.message(card.ts).buttons).toEqual([])
    expect(flow.slack.calls.filter(({ outcome }) => outcome.kind !== 'ok')).toEqual([])
  })

  test('SLACK-01 CHAT-02 in a channel a mention begins a thread, which is the conversation; what others click is a notice to them and changes nothing', async () => {
    const { flow, scenes } = stage
    scenes.on('count up', call('bash', { command: counting }), say('Counted.'))
    const [ada, bob] = [stage.guest('ada2'), stage.guest('bob')]
    const channel = flow.slack.channel({ name: 'ops', members: [ada, bob, stage.eve] })
    const root = channel.say(ada, `${flow.slack.mention} count up`)
    const card = await cardOf(channel)
    expect(card.threadTs).toBe(root)
    await channel.click(bob, card.ts, 'Approve').outcome
    await channel.waitForEphemeral(bob, 'You may not answer this')
    expect(channel.message(card.ts).text).toMatch(/\nWaiting for an answer\.$/)
    await channel.click(stage.eve, card.ts, 'Approve').outcome
    await untilReads(channel, card.ts, /Approved by eve.* → exit 0/)
    const answer = await channel.waitForText('Counted.')
    expect(answer.threadTs).toBe(root)
    expect(await runs(stage, `${channel.id}/${root}`)).toBe(1)
    expect(channel.topLevel().map(({ ts }) => ts)).toEqual([root])
  })

  test('LOOP-14 CHAT-04 below what a turn writes ends it, for whoever may, and goes with it', async () => {
    const { flow, scenes } = stage
    scenes.on('write on', endlessly)
    const [ada, bob] = [stage.guest(), stage.guest('bob')]
    const channel = flow.slack.channel({ name: 'stopping', members: [ada, bob] })
    channel.say(ada, `${flow.slack.mention} write on`)
    const passing = await channel.waitForMessage((message) => labels(message).includes('Stop'))
    expect(passing.text).toContain('word')
    await channel.click(bob, passing.ts, 'Stop').outcome
    await expect
      .poll(() => channel.ephemerals(bob).map(({ text }) => text), { timeout: 60_000 })
      .toEqual(['Only the person whose turn it is, or an approver, may stop it.'])
    await channel.click(ada, passing.ts, 'Stop').outcome
    await channel.waitForText('Stopped by ada')
    await flow.settled(`${channel.id}/${passing.threadTs}`)
    for (const message of channel.botMessages()) expect(labels(message)).toEqual([])
  })

  test('LOOP-14 APPR-13 below a card whose call runs ends the call, as the card then says', async () => {
    const { flow, scenes } = stage
    scenes.on('sleep on', call('bash', { command: 'echo begun; sleep 300' }), say('never'))
    const ada = stage.guest()
    const dm = flow.slack.dm(ada)
    dm.say(ada, 'sleep on')
    const card = await cardOf(dm)
    await dm.click(ada, card.ts, 'Approve').outcome
    const running = await dm.waitForMessage(
      (message) => message.ts === card.ts && labels(message).includes('Stop'),
    )
    expect(running.text).toContain('begun')
    await dm.click(ada, card.ts, 'Stop').outcome
    expect(labels(await untilReads(dm, card.ts, /Approved by ada.* → cancelled/))).toEqual([])
    await flow.settled(dm.id)
  })
})
