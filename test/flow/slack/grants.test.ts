import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, calls, say, toRequest } from '../../support/scripted-model.ts'
import {
  batchOf,
  cardOf,
  clickAlways,
  copiesOf,
  detailsOf,
  labels,
  openStage,
  type Stage,
  storyOf,
  untilReads,
} from './stage.ts'

const prints = (count: number, more = '') =>
  calls(
    Array.from({ length: count }, (_, index) =>
      toRequest('bash', { command: `printf ${index + 1}${more}` }),
    ),
  )

describe('Always, grants and several questions on one card', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const rules = () =>
    readFile(join(stage.flow.dataDir, 'workers', 'default', 'permissions.jsonc'), 'utf8')

  test('APPR-07 APPR-15 Always by a user resolves the like in the session; by an approver it is written to the rules', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    scenes.on(
      'two alike',
      calls([
        toRequest('bash', { command: 'touch one' }),
        toRequest('bash', { command: 'touch two' }),
      ]),
      say('Both.'),
    )
    const ada = stage.guest()
    const dm = slack.dm(ada)
    dm.say(ada, 'two alike')
    const first = await cardOf(dm, 1)
    const second = await cardOf(dm, 2)
    await clickAlways(dm, ada, first, 'Always')
    expect((await untilReads(dm, second.ts, /→ exit 0/)).buttons).toEqual([])
    await dm.waitForText('Both.')
    expect(await rules()).not.toContain('touch')
    scenes.on('make a folder', call('bash', { command: 'mkdir -p made' }), say('Folder made.'))
    const channel = slack.channel({ name: 'rules', members: [ada, stage.eve] })
    channel.say(ada, `${slack.mention} make a folder`)
    const third = await cardOf(channel, 1)
    await clickAlways(channel, stage.eve, third)
    await channel.waitForText('Folder made.')
    expect(await rules()).toMatch(
      /\/\/ granted by slack:T0COUNTERS1:U0EVE00001.*\n\s*"mkdir \*": "allow"/,
    )
    const bob = stage.guest('bob')
    const his = slack.dm(bob)
    his.say(bob, 'make a folder')
    await his.waitForText('Folder made.')
    expect(his.botMessages()).toHaveLength(1)
  })

  test('APPR-15 APPR-12 This turn and 1 h are one click of the choice; /grants lists what holds, and a click takes it back', async () => {
    const { flow, scenes } = stage
    scenes.on('touch it', call('bash', { command: 'touch one' }), say('Touched.'))
    scenes.on('once more', call('bash', { command: 'touch two' }), say('Again.'))
    const ada = stage.guest()
    const dm = flow.slack.dm(ada)
    dm.say(ada, 'touch it')
    const card = await cardOf(dm)
    await clickAlways(dm, ada, card, '1 h')
    const done = await untilReads(dm, card.ts, /→ exit 0/)
    expect(done.text).toMatch(/touch \* for 1 h → exit 0/)
    await dm.waitForText('Touched.')
    dm.say(ada, 'once more')
    await dm.waitForText('Again.')
    dm.say(ada, ' /grants')
    const list = await dm.waitForText('Your grants in this session')
    expect(labels(list)).toEqual(['Revoke 1'])
    await dm.click(ada, list.ts, 'Revoke 1').outcome
    await dm.waitForMessage(({ ts, buttons }) => ts === list.ts && buttons.length === 0)
    await flow.settled(dm.id)
    dm.say(ada, 'once more')
    const again = await cardOf(dm, 2)
    expect(storyOf(dm, again)).toEqual(['waiting'])
    await clickAlways(dm, ada, again, 'This turn')
    await untilReads(dm, again.ts, /this turn.* → exit 0/)
  })

  test('APPR-15 CHAT-03 15 min and 5 times are one click of the choice; /permissions counts what holds, /grants lists it, and a click takes back one of them', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    const dm = flow.slack.dm(ada)
    const uses = ['touch a', 'touch b', 'ln -s a c', 'touch d']
    for (const [index, command] of uses.entries())
      scenes.on(`use ${index}`, call('bash', { command }), say(`Used ${index}.`))
    dm.say(ada, 'use 0')
    await clickAlways(dm, ada, await cardOf(dm, 1), '5 times')
    await dm.waitForText('Used 0.')
    dm.say(ada, 'use 1')
    await dm.waitForText('Used 1.')
    dm.say(ada, 'use 2')
    await clickAlways(dm, ada, await cardOf(dm, 2), '15 min')
    await dm.waitForText('Used 2.')
    dm.say(ada, ' /permissions')
    await dm.waitForText('Granted to you in this session: 2; /grants lists them.')
    dm.say(ada, ' /grants')
    const list = await dm.waitForText('Your grants in this session')
    expect(labels(list)).toEqual(['Revoke 1', 'Revoke 2'])
    expect(list.text).toContain('touch *')
    await dm.click(ada, list.ts, 'Revoke 1').outcome
    await dm.waitForMessage(
      ({ ts, buttons }) => ts === list.ts && !buttons.some(({ label }) => label === 'Revoke 1'),
    )
    await flow.settled(dm.id)
    dm.say(ada, 'use 3')
    const again = await cardOf(dm, 3)
    expect(storyOf(dm, again)).toEqual(['waiting'])
    await dm.click(ada, again.ts, 'Approve').outcome
    await dm.waitForText('Used 3.')
  })

  test('APPR-20 APPR-05 one click approves all of a batch, the card tells what became of each, and its buttons go', async () => {
    const ada = stage.guest()
    const dm = stage.flow.slack.dm(ada)
    stage.scenes.on('print six', prints(6), say('Printed.'))
    dm.say(ada, 'print six')
    const card = await batchOf(dm, 'Approvals 1 to 6')
    expect(labels(card)).toEqual(['Approve all 6', 'One by one', 'Deny all', '⋯'])
    await dm.click(ada, card.ts, 'Approve all 6').outcome
    await dm.waitForText('Printed.')
    await stage.flow.settled(dm.id)
    const after = await untilReads(dm, card.ts, /All are answered\./)
    expect(after.text.match(/exit 0/g)).toHaveLength(6)
    expect(labels(after)).toEqual([])
  })

  test('APPR-20 APPR-15 one by one each question has its own card; Deny all denies the rest without a form', async () => {
    const { slack } = stage.flow
    const ada = stage.guest()
    const dm = slack.dm(ada)
    stage.scenes.on('print one by one', prints(6), say('Printed one by one.'))
    dm.say(ada, 'print one by one')
    const batch = await batchOf(dm, 'Approvals 1 to 6')
    await dm.click(ada, batch.ts, 'One by one').outcome
    const third = await cardOf(dm, 3)
    await cardOf(dm, 6)
    await dm.click(ada, third.ts, 'Approve').outcome
    await untilReads(dm, batch.ts, /5 of 6 wait for an answer\./)
    await dm.click(ada, batch.ts, 'Deny all').outcome
    expect(slack.modals(ada)).toEqual([])
    await dm.waitForText('Printed one by one.')
    await stage.flow.settled(dm.id)
    await untilReads(dm, third.ts, /exit 0/)
    expect(dm.message(batch.ts).text.match(/🚫 Denied by ada/gu)).toHaveLength(5)
    for (const number of [1, 2, 4, 5, 6])
      for (const { buttons } of copiesOf(dm, number)) expect(buttons).toEqual([])
  })

  test('APPR-16 where a message has no room for a batch a file has it, before the card', async () => {
    const ada = stage.guest()
    const dm = stage.flow.slack.dm(ada)
    stage.scenes.on('print much', prints(8, ` ${'very '.repeat(250)}`), say('Printed much.'))
    dm.say(ada, 'print much')
    const card = await batchOf(dm, 'Approvals 1 to 8')
    expect(await detailsOf(dm, ada, card)).toContain('approvals-1-8.txt')
    const file = dm.botMessages().find(({ files }) => files.length > 0)
    expect(Number(file?.ts)).toBeLessThan(Number(card.ts))
    await dm.click(ada, card.ts, 'Deny all').outcome
    await dm.waitForText('Printed much.')
  })
})
