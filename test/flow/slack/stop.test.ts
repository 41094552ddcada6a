import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelAnswer, ModelRequest } from '../../../src/ports/model.ts'
import { call, say } from '../../support/scripted-model.ts'
import { cardOf, labels, openStage, type Stage, untilReads } from './stage.ts'

/** Writes for longer than any test waits. */
async function endlessly({ onText, signal }: ModelRequest): Promise<ModelAnswer> {
  for (let word = 0; word < 3_000; word += 1) {
    onText?.(`word${word} `)
    await delay(100, undefined, { signal })
  }
  return say('never')
}

describe('LOOP-14 a Stop button on Slack', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

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
