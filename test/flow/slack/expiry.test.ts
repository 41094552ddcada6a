import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
import {
  cardOf,
  claimOf,
  labels,
  openStage,
  type Stage,
  storyOf,
  untilReads,
  wordsOf,
} from './stage.ts'

/** Moves a moment of every question that waits into the past. */
async function isOver({ flow }: Stage, column: 'expires_at' | 'remind_at'): Promise<void> {
  await flow.db
    .updateTable('approval')
    .set({ [column]: sql`now() - interval '1 second'` })
    .where('state', '=', 'pending')
    .execute()
}

describe('questions on Slack that nobody answers in time', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('APPR-08 APPR-19 SLACK-02 they end as a denial that the card tells, its buttons go, and a late click changes nothing', async () => {
    const scene = stage.scenes.on('too late', call('bash', { command: 'touch x' }), say('Pity.'))
    const ada = stage.guest()
    const dm = stage.flow.slack.dm(ada)
    dm.say(ada, 'too late')
    const card = await cardOf(dm)
    await isOver(stage, 'expires_at')
    await dm.waitForText('Pity.')
    const expired = await untilReads(dm, card.ts, /⌛ Expired, .*UTC: nobody answered in time$/)
    expect(expired.buttons).toEqual([])
    expect(scene.lastHeard()).toContain('nobody approved it in time; the question expired')
    expect(await dm.claimClick(ada, claimOf(card, 'Approve')).outcome).toMatchObject({
      kind: 'acked',
    })
    await dm.waitForEphemeral(ada, 'expired')
    await stage.flow.settled(dm.id)
    expect(storyOf(dm, card)).toEqual(['waiting', 'expired'])
    expect(wordsOf(dm)).toEqual(['Pity.'])
  })

  test('APPR-08 APPR-19 a form that comes back too late denies nothing, and says so', async () => {
    stage.scenes.on('late form', call('bash', { command: 'touch x' }), say('Over.'))
    const ada = stage.guest()
    const dm = stage.flow.slack.dm(ada)
    dm.say(ada, 'late form')
    const card = await cardOf(dm)
    await dm.click(ada, card.ts, 'Deny').outcome
    const form = await stage.flow.slack.waitForModal(ada)
    await isOver(stage, 'expires_at')
    await dm.waitForText('Over.')
    await form.submit({ written: 'too slow' })
    await dm.waitForEphemeral(ada, 'expired')
    expect(storyOf(dm, card)).toEqual(['waiting', 'expired'])
  })

  test('APPR-08 APPR-19 a reminder comes once, in the thread of the question, and the card still works', async () => {
    stage.scenes.on('remind me', call('bash', { command: 'touch x' }), say('Made.'))
    const { slack } = stage.flow
    const ada = stage.guest()
    const channel = slack.channel({ name: 'reminded', members: [ada] })
    const root = channel.say(ada, `${slack.mention} remind me`)
    const card = await cardOf(channel)
    await isOver(stage, 'remind_at')
    const reminder = await channel.waitForText('Approval 1 (bash) is still waiting for an answer')
    expect(reminder).toMatchObject({ threadTs: root, notified: { users: [], broadcasts: [] } })
    await channel.click(ada, card.ts, 'Approve').outcome
    await channel.waitForText('Made.')
    await stage.flow.settled(`${channel.id}/${root}`)
    expect(wordsOf(channel)).toEqual([reminder.text, 'Made.'])
  })
})

test('APPR-19 with on_expiry = wait the card goes on with its buttons, and a reminder says so', async () => {
  const settings = { COUNTERSIGN_APPROVAL_ON_EXPIRY: 'wait', COUNTERSIGN_APPROVAL_TTL: '1h' }
  await using stage = await openStage({ settings })
  stage.scenes.on('no hurry', call('bash', { command: 'touch x' }), say('Made at last.'))
  const ada = stage.guest()
  const dm = stage.flow.slack.dm(ada)
  dm.say(ada, 'no hurry')
  const card = await cardOf(dm)
  await isOver(stage, 'expires_at')
  await dm.waitForText('Approval 1 (bash) is still waiting for an answer')
  await stage.flow.settled(dm.id)
  expect(labels(dm.message(card.ts))).toEqual(labels(card))
  await dm.click(ada, card.ts, 'Approve').outcome
  await dm.waitForText('Made at last.')
  expect(storyOf(dm, card)).not.toContain('expired')
})
