import { expect, test } from 'vitest'
import { createApi } from '../../../../../src/adapters/chat/slack/api.ts'
import { connect } from '../../../../../src/adapters/chat/slack/connect.ts'
import { createPeople } from '../../../../../src/adapters/chat/slack/incoming/people.ts'
import { createSlack } from '../../../../support/slack/slack.ts'

async function openPeople() {
  const slack = await createSlack()
  const client = createApi({ token: slack.botToken, apiUrl: slack.apiUrl, timeoutMs: 5_000 })
  let time = 0
  const people = createPeople(client, await connect(client), () => time)
  return {
    slack,
    find: (id: string, team?: string) => people.find(id, team),
    pass: (ms: number) => {
      time += ms
    },
    looks: () => slack.callsOf('users.info').length,
    [Symbol.asyncDispose]: () => slack[Symbol.asyncDispose](),
  }
}

test('CHAT-01 a person of the team has an id that contains the team, and a username for the lists', async () => {
  await using at = await openPeople()
  const ada = at.slack.user('ada', { realName: 'Ada Lovelace' })
  expect(await at.find(ada.id)).toEqual({
    id: `slack:${at.slack.teamId}:${ada.id}`,
    name: 'ada',
    username: 'ada',
  })
  const guest = at.slack.user('gus', { guest: 'single' })
  expect(await at.find(guest.id, at.slack.teamId)).toMatchObject({ username: 'gus' })
})

test('CHAT-01 THREAT-7 people of other teams, bots, workflows, Slackbot and deactivated accounts are ignored', async () => {
  await using at = await openPeople()
  const { slack } = at
  const other = slack.team('Other')
  const eve = slack.user('eve', { teamId: other.id })
  // Until there is a channel that she shares with us.
  expect(await at.find(eve.id)).toBe('somebody whom Slack does not show us')
  const mia = slack.user('mia', { teamId: other.id })
  slack.channel({ name: 'shared', members: [mia] })
  expect(await at.find(mia.id)).toBe('somebody of another team')
  expect(await at.find(mia.id, slack.teamId)).toBe('somebody of another team')
  const ada = slack.user('ada')
  expect(await at.find(ada.id, other.id)).toBe('somebody of another team')
  expect(await at.find(slack.user('bot', { kind: 'bot' }).id)).toBe('a bot')
  expect(await at.find(slack.user('flow', { kind: 'workflow' }).id)).toBe('a bot')
  expect(await at.find(slack.user('gone', { deleted: true }).id)).toBe('an account that was shut')
  expect(await at.find('USLACKBOT')).toBe('Slackbot')
})

test('CHAT-01 people are looked up again after ten minutes', async () => {
  await using at = await openPeople()
  const ada = at.slack.user('ada')
  await at.find(ada.id)
  at.pass(9 * 60_000)
  await at.find(ada.id)
  expect(at.looks()).toBe(1)
  ada.deleted = true
  at.pass(2 * 60_000)
  expect(await at.find(ada.id)).toBe('an account that was shut')
})

test('CHAT-01 while Slack does not answer, known people stay valid for a day, and unknown ones are refused', async () => {
  await using at = await openPeople()
  const ada = at.slack.user('ada')
  await at.find(ada.id)
  at.slack.fault = () => ({ kind: 'status', code: 503 })
  at.pass(23 * 3_600_000)
  expect(await at.find(ada.id)).toMatchObject({ username: 'ada' })
  at.pass(2 * 3_600_000)
  await expect(at.find(ada.id)).rejects.toThrow()
  await expect(at.find(at.slack.user('bob').id)).rejects.toThrow()
})

test('CHAT-01 people unknown to Slack are ignored', async () => {
  await using at = await openPeople()
  expect(await at.find('U0NOBODY01')).toBe('somebody whom Slack does not show us')
})
