import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
import { counting, runs } from '../workspace-commands.ts'
import { cardOf, claimOf, openStage, type Stage, storyOf, untilReads, wordsOf } from './stage.ts'

const clock = String.raw`(?:\d+ [A-Z][a-z]{2} )?\d\d:\d\d UTC`

describe('clicks', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  async function asked(opening: string) {
    const ada = stage.guest()
    const dm = stage.flow.slack.dm(ada)
    stage.scenes.on(opening, call('bash', { command: counting }), say('Ran.'))
    dm.say(ada, opening)
    return { ada, dm, card: await cardOf(dm) }
  }

  test('APPR-04 the same click twice is one execution, and the second is told who decided what and when', async () => {
    const { ada, dm, card } = await asked('click twice')
    const clicks = ['Approve', 'Approve'].map((label) => dm.click(ada, card.ts, label).outcome)
    for (const outcome of await Promise.all(clicks))
      expect(outcome).toMatchObject({ kind: 'acked' })
    const { text } = await dm.waitForEphemeral(ada, 'Already')
    expect(text).toMatch(
      new RegExp(String.raw`^Already approved by ada \(@ada\) (?:at|on) ${clock}\.$`),
    )
    await dm.waitForText('Ran.')
    expect(await runs(stage, dm.id)).toBe(1)
    expect(wordsOf(dm)).toEqual(['Ran.'])
  })

  test('APPR-04 INT-5 of two people at the same instant one decides, and the other is told', async () => {
    const { slack } = stage.flow
    const ada = stage.guest()
    const channel = slack.channel({ name: 'instant', members: [ada, stage.eve] })
    const command = String.raw`printf 'ran\n' >> counter.txt`
    stage.scenes.on('both at once', call('bash', { command }), say('Ran.'))
    const root = channel.say(ada, `${slack.mention} both at once`)
    const card = await cardOf(channel)
    channel.click(ada, card.ts, 'Approve')
    channel.click(stage.eve, card.ts, 'Approve')
    await channel.waitForText('Ran.')
    await slack.waitFor(() =>
      [ada, stage.eve].some((who) =>
        channel.ephemerals(who).some(({ text }) => text.startsWith('Already approved by')),
      ),
    )
    expect(await runs(stage, `${channel.id}/${root}`)).toBe(1)
  })

  test('THREAT-8 a value that is no token of ours, or of another conversation, does nothing and says so', async () => {
    const { ada, dm, card } = await asked('forged one')
    const other = await asked('forged two')
    const forged = [
      randomBytes(16).toString('base64url'),
      'approve',
      '\u0000',
      "'; drop table approval; --",
      'x'.repeat(200),
      claimOf(other.card, 'Approve').value ?? '',
    ]
    for (const [index, value] of forged.entries()) {
      const { outcome } = dm.claimClick(ada, { messageTs: card.ts, actionId: 'approve_0_0', value })
      expect(await outcome).toMatchObject({ kind: 'acked' })
      await stage.flow.slack.waitFor(() => dm.ephemerals(ada).length === index + 1)
    }
    for (const { text } of dm.ephemerals(ada))
      expect(text).toBe('This button is no longer valid here.')
    await other.dm.claimClick(other.ada, claimOf(card, 'Deny')).outcome
    await other.dm.waitForEphemeral(other.ada, 'no longer valid here')
    expect(stage.flow.slack.modals(other.ada)).toEqual([])
    for (const each of [{ dm, card }, other]) {
      expect(await runs(stage, each.dm.id)).toBe(0)
      expect(storyOf(each.dm, each.card)).toEqual(['waiting'])
    }
  })

  test('STORE-04 SLACK-02 while the database is away a click is told so, and a form stays open until it is taken', async () => {
    const { ada, dm, card } = await asked('away with it')
    await dm.click(ada, card.ts, 'Deny').outcome
    const form = await stage.flow.slack.waitForModal(ada)
    await stage.flow.db.transaction().execute(async (held) => {
      await sql`lock table inbound_event in exclusive mode`.execute(held)
      expect(await form.submit({ written: 'not today' })).toMatchObject({ kind: 'failed' })
      expect(form.isOpen).toBe(true)
      await dm.click(ada, card.ts, 'Approve').outcome
      await dm.waitForEphemeral(ada, 'The database is unavailable: nothing was done.')
      expect(dm.ephemerals(ada)).toHaveLength(1)
    })
    await form.submit({ written: 'not today' })
    await untilReads(dm, card.ts, /Denied by ada|Approved by ada/)
    await dm.waitForText('Ran.')
    await stage.flow.settled(dm.id)
  })
})
