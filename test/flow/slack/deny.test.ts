import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
import type { ChannelHandle } from '../../support/slack/people/channel-handle.ts'
import type { SlackUser } from '../../support/slack/users.ts'
import { counting, runs } from '../workspace-commands.ts'
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

const reason = 'Why not? The model reads it.'

describe('denying by a form', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  /** A question in somebody's direct messages. */
  async function asked(opening: string) {
    const ada = stage.guest()
    const dm = stage.flow.slack.dm(ada)
    const scene = stage.scenes.on(opening, call('bash', { command: counting }), say('I leave it.'))
    dm.say(ada, opening)
    return { ada, dm, scene, card: await cardOf(dm) }
  }

  async function formOf(channel: ChannelHandle, user: SlackUser, ts: string, button = 'Deny') {
    expect(await channel.click(user, ts, button).outcome).toMatchObject({ kind: 'acked' })
    return stage.flow.slack.waitForModal(user)
  }

  test('SLACK-02 APPR-03 Deny opens a form, and what is written there reaches the model as the reason', async () => {
    const { ada, dm, scene, card } = await asked('delete it')
    const form = await formOf(dm, ada, card.ts)
    expect(form.title).toBe('Deny approval 1')
    expect(form.fields).toMatchObject([{ label: reason, optional: true, initial: undefined }])
    expect(scene.requests).toHaveLength(1)
    expect(storyOf(dm, card)).toEqual(['waiting'])
    const written = 'ask <@U1> & <!channel> first\n❯ Question 9'
    expect(await form.submit({ [reason]: written })).toMatchObject({ kind: 'acked' })
    expect(form.isOpen).toBe(false)
    await dm.waitForText('I leave it.')
    await stage.flow.settled(dm.id)
    expect(scene.lastHeard()).toContain(
      'rejected by user: ask <@U1> & <!channel> first ⏎ ❯ Question 9',
    )
    const after = dm.message(card.ts)
    expect(after.text).toMatch(/🚫 Denied by ada.*: ask <@U1> & <!channel> first/)
    expect(after.notified).toEqual(card.notified)
    expect(after.buttons).toEqual([])
    expect(storyOf(dm, card)).toEqual(['waiting', 'denied'])
    expect(wordsOf(dm)).toEqual(['I leave it.'])
    expect(await runs(stage, dm.id)).toBe(0)
  })

  test('SLACK-02 an empty form is a denial without a reason', async () => {
    const { ada, dm, scene, card } = await asked('just no')
    await (await formOf(dm, ada, card.ts)).submit()
    await dm.waitForText('I leave it.')
    expect(scene.lastHeard()).toContain('rejected by user')
    expect(scene.lastHeard()).not.toContain('rejected by user:')
    await untilReads(dm, card.ts, /🚫 Denied by ada[^:]*, (?:\d+ [A-Z][a-z]{2} )?\d\d:\d\d UTC$/)
  })

  test('SLACK-02 a form that is closed changes nothing: the card waits, and can be answered', async () => {
    const { ada, dm, scene, card } = await asked('on second thought')
    const form = await formOf(dm, ada, card.ts)
    await form.close()
    expect(dm.message(card.ts).buttons).toEqual(card.buttons)
    await dm.click(ada, card.ts, 'Approve').outcome
    await dm.waitForText('I leave it.')
    expect(await runs(stage, dm.id)).toBe(1)
    expect(scene.lastHeard()).not.toContain('rejected')
  })

  test('SLACK-02 where Slack opens no form in time, Deny denies without a reason', async () => {
    const { ada, dm, scene, card } = await asked('too slow')
    stage.flow.slack.failNext('views.open', { kind: 'error', error: 'expired_trigger_id' })
    expect(await dm.click(ada, card.ts, 'Deny').outcome).toMatchObject({ kind: 'acked' })
    await dm.waitForText('I leave it.')
    expect(stage.flow.slack.modals(ada)).toEqual([])
    expect(scene.lastHeard()).toContain('rejected by user')
    await untilReads(dm, card.ts, /🚫 Denied by ada/)
  })

  test('SLACK-02 STORE-04 where Slack takes too long to open a form, the tap is told of that, and not of the database', async () => {
    const { slack } = stage.flow
    const { ada, dm, scene, card } = await asked('slow form')
    slack.failNext('views.open', { kind: 'delay', ms: 2_600 }, { kind: 'delay', ms: 2_600 })
    expect(await dm.click(ada, card.ts, 'Edit').outcome).toMatchObject({ kind: 'acked' })
    const told = await dm.waitForEphemeral(ada, 'did not open')
    expect(told.text).not.toContain('database')
    expect(dm.message(card.ts).text).toMatch(/\nWaiting for an answer\.$/)
    expect(await dm.click(ada, card.ts, 'Deny').outcome).toMatchObject({ kind: 'acked' })
    await dm.waitForText('I leave it.')
    expect(scene.lastHeard()).toContain('rejected by user')
    expect(dm.ephemerals(ada)).toHaveLength(1)
  })

  test('APPR-04 SLACK-02 the same form twice is one denial, whatever the second one says', async () => {
    const { ada, dm, scene, card } = await asked('twice no')
    const form = await formOf(dm, ada, card.ts)
    const { fields } = form
    const [field] = fields
    if (field === undefined) throw new Error('no field')
    const state = (value: string) => ({
      [field.blockId]: { [field.actionId]: { type: 'plain_text_input', value } },
    })
    const sent = ['first', 'second'].map((value) => form.claimSubmit(state(value)))
    for (const outcome of await Promise.all(sent)) expect(outcome.kind).toBe('acked')
    await dm.waitForText('I leave it.')
    await stage.flow.settled(dm.id)
    expect(scene.lastHeard().match(/rejected by user: (?:first|second)/g)).toHaveLength(1)
    expect(storyOf(dm, card)).toEqual(['waiting', 'denied'])
    expect(wordsOf(dm)).toEqual(['I leave it.'])
  })

  test('APPR-04 SLACK-02 a form that comes after the question was answered changes nothing, and tells who decided what', async () => {
    const { slack } = stage.flow
    const ada = stage.guest()
    const channel = slack.channel({ name: 'late-form', members: [ada, stage.eve] })
    const opening = 'answered meanwhile'
    stage.scenes.on(opening, call('bash', { command: counting }), say('It ran.'))
    const root = channel.say(ada, `${slack.mention} ${opening}`)
    const card = await cardOf(channel)
    const form = await formOf(channel, ada, card.ts)
    await channel.click(stage.eve, card.ts, 'Approve').outcome
    await untilReads(channel, card.ts, /Approved by eve.* → exit 0/)
    await form.submit({ [reason]: 'I am late' })
    const notice = await channel.waitForEphemeral(ada, 'Already approved by eve')
    expect(notice.threadTs).toBe(root)
    // Whoever clicks what is gone by now opens no form.
    await channel.claimClick(ada, claimOf(card, 'Deny')).outcome
    await slack.waitFor(() => channel.ephemerals(ada).length === 2)
    expect(slack.modals(ada)).toEqual([])
    expect(await runs(stage, `${channel.id}/${root}`)).toBe(1)
    expect(storyOf(channel, card)).not.toContain('denied')
  })

  test('APPR-04 CHAT-02 CHAT-01 a bystander’s and a stranger’s Deny and Edit open no form: they are told alone, and nothing changes', async () => {
    const { slack } = stage.flow
    const [ada, bob] = [stage.guest(), stage.guest('bob')]
    const mallory = stage.stranger()
    const channel = slack.channel({ name: 'bystanders', members: [ada, bob, mallory] })
    const opening = 'not for others'
    stage.scenes.on(opening, call('bash', { command: counting }), say('It ran.'))
    channel.say(ada, `${slack.mention} ${opening}`)
    const card = await cardOf(channel)
    const before = channel.history.filter(({ message }) => message.ephemeralFor === undefined)
    for (const who of [bob, mallory])
      for (const [index, button] of labels(card).entries()) {
        expect(await channel.click(who, card.ts, button).outcome).toMatchObject({ kind: 'acked' })
        await slack.waitFor(() => channel.ephemerals(who).length === index + 1)
      }
    for (const { text } of channel.ephemerals(bob))
      expect(text).toBe('You may not answer this; ada (@ada) or an approver can.')
    for (const { text } of channel.ephemerals(mallory))
      expect(text).toBe('You may not answer this.')
    expect(slack.callsOf('views.open').filter(({ at }) => at > card.at)).toEqual([])
    expect(channel.history.filter(({ message }) => message.ephemeralFor === undefined)).toEqual(
      before,
    )
    expect(slack.dm(mallory).botMessages()).toEqual([])
    await channel.click(ada, card.ts, 'Approve').outcome
    await channel.waitForText('It ran.')
  })
})
