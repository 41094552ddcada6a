import { expect, test } from 'vitest'
import { listenTo, setUp } from './set-up.ts'

test('an edit, an unfolded link and a deletion each come as what they are', async () => {
  await using at = await setUp()
  const { slack, ada, general } = at
  const ts = general.say(ada, 'see https://example.com')
  general.unfurl(ts, 'https://example.com')
  general.edit(ada, ts, 'changed')
  general.delete(ts)
  expect(slack.eventsOf('message')).toMatchObject([
    { user: ada.id, ts, client_msg_id: expect.any(String), event_ts: ts },
    { subtype: 'message_changed', hidden: true, message: { ts, attachments: [{}] } },
    {
      subtype: 'message_changed',
      message: { ts, text: 'changed', edited: { user: ada.id } },
      previous_message: { text: 'see https://example.com' },
    },
    { subtype: 'message_deleted', deleted_ts: ts, previous_message: { text: 'changed' } },
  ])
  expect(slack.eventsOf('message')[1]).not.toMatchObject({ message: { edited: expect.anything() } })
})

test('a message with answers leaves a tombstone', async () => {
  await using at = await setUp()
  const { slack, ada, general } = at
  const ts = general.say(ada, 'one')
  general.say(ada, 'two', { thread: ts })
  general.delete(ts)
  expect(slack.eventsOf('message').at(-1)).toMatchObject({
    subtype: 'message_changed',
    message: { subtype: 'tombstone', ts },
  })
  expect(general.thread(ts).map(({ text }) => text)).toEqual(['two'])
})

test('what the app writes comes back to it, marked as its own', async () => {
  await using at = await setUp()
  const { slack, web, ada, general } = at
  const asked = general.say(ada, 'one')
  await web.chat.postMessage({ channel: general.id, thread_ts: asked, text: slack.mention })
  expect(slack.eventsOf('message').at(-1)).toMatchObject({
    user: slack.botUserId,
    bot_id: 'B0COUNTERS1',
    app_id: slack.appId,
    thread_ts: asked,
    parent_user_id: ada.id,
  })
  expect(slack.eventsOf('app_mention')).toEqual([])
})

test('bots of others write with and without a user, and mention the app', async () => {
  await using at = await setUp()
  const { slack, general } = at
  const robot = slack.user('robot', { kind: 'bot' })
  general.join(robot)
  general.say(robot, `${slack.mention} run`)
  general.sayAsBot('hook', 'no user')
  expect(slack.eventsOf('app_mention')).toMatchObject([{ user: robot.id, bot_id: robot.botId }])
  expect(slack.eventsOf('message').at(-1)).toMatchObject({
    subtype: 'bot_message',
    username: 'hook',
  })
  expect(slack.eventsOf('message').at(-1)).not.toHaveProperty('user')
  expect(general.messages().map(({ from }) => from.kind)).toEqual(['bot', 'bot', 'bot'])
})

test('somebody of another team is told apart in a shared channel', async () => {
  await using at = await setUp()
  const { slack, web, ada } = at
  const other = slack.team('Other')
  const zoe = slack.user('zoe', { teamId: other.id })
  const shared = slack.channel({ name: 'shared', members: [ada, zoe] })
  await using app = await listenTo(slack)
  shared.say(zoe, 'hello')
  await slack.waitFor(() => app.heard.length === 1)
  expect(app.heard[0]?.body).toMatchObject({
    team_id: slack.teamId,
    is_ext_shared_channel: true,
    authorizations: [{ team_id: slack.teamId, user_id: slack.botUserId, is_bot: true }],
    event: { user: zoe.id, team: other.id, user_team: other.id, source_team: other.id },
  })
  const blocks = [
    {
      type: 'actions' as const,
      elements: [
        {
          type: 'button' as const,
          action_id: 'x',
          text: { type: 'plain_text' as const, text: 'Go' },
        },
      ],
    },
  ]
  const { ts } = await web.chat.postMessage({ channel: shared.id, text: 'x', blocks })
  await shared.click(zoe, String(ts), 'Go').outcome
  expect(app.heard.at(-1)?.body).toMatchObject({
    user: { id: zoe.id, team_id: other.id },
    team: { id: slack.teamId },
  })
})

test('the app is added and removed, and people come', async () => {
  await using at = await setUp()
  const { slack, web, ada } = at
  const channel = slack.channel({ name: 'new', members: [ada], app: false })
  const mention = channel.say(ada, `${slack.mention} come in`)
  expect(slack.deliveries).toEqual([])
  channel.addApp(ada, mention)
  expect(slack.eventsOf('app_mention')).toMatchObject([{ ts: mention }])
  expect(slack.eventsOf('member_joined_channel')).toMatchObject([
    { user: slack.botUserId, channel: channel.id, channel_type: 'C', inviter: ada.id },
  ])
  expect(slack.eventsOf('message')).toMatchObject([
    { subtype: 'channel_join', user: slack.botUserId },
  ])
  await web.chat.postMessage({ channel: channel.id, text: 'hello' })
  channel.removeApp()
  await expect(web.chat.postMessage({ channel: channel.id, text: 'x' })).rejects.toMatchObject({
    data: { error: 'not_in_channel' },
  })
  expect(() => channel.say(slack.user('bob'), 'x')).toThrow('not in this channel')
})

test('a click may claim what is not shown', async () => {
  await using at = await setUp()
  const { slack, web, ada, general } = at
  await using app = await listenTo(slack)
  const { ts } = await web.chat.postMessage({ channel: general.id, text: 'no buttons' })
  expect(() => general.click(ada, String(ts), 'Approve')).toThrow('no button "Approve"')
  await general.claimClick(ada, { messageTs: String(ts), actionId: 'approve', value: 'stolen' })
    .outcome
  expect(app.heard.at(-1)?.body).toMatchObject({
    actions: [{ action_id: 'approve', value: 'stolen' }],
  })
})

test('a click on a notice names no message', async () => {
  await using at = await setUp()
  const { slack, web, ada, general } = at
  await using app = await listenTo(slack)
  const blocks = [
    {
      type: 'actions' as const,
      elements: [
        {
          type: 'button' as const,
          action_id: 'x',
          text: { type: 'plain_text' as const, text: 'Go' },
        },
      ],
    },
  ]
  const { message_ts } = await web.chat.postEphemeral({
    channel: general.id,
    user: ada.id,
    text: 'x',
    blocks,
  })
  const bob = slack.user('bob')
  general.join(bob)
  expect(() => general.click(bob, String(message_ts), 'Go')).toThrow('does not see')
  await general.click(ada, String(message_ts), 'Go').outcome
  expect(app.heard.at(-1)?.body).toMatchObject({ container: { is_ephemeral: true, message_ts } })
  expect(app.heard.at(-1)?.body).not.toHaveProperty('message')
})

test('the app reads what stands in a channel and in a thread, a page at a time', async () => {
  await using at = await setUp()
  const { web, ada, general } = at
  const first = general.say(ada, 'one')
  const answer = general.say(ada, 'two', { thread: first })
  const metadata = { event_type: 'card', event_payload: { id: '7' } }
  const { ts } = await web.chat.postMessage({ channel: general.id, text: 'three', metadata })
  const channel = general.id
  const history = await web.conversations.history({ channel, limit: 1, include_all_metadata: true })
  expect(history).toMatchObject({ messages: [{ ts, metadata }], has_more: true })
  const cursor = String(history.response_metadata?.next_cursor)
  expect(await web.conversations.history({ channel, cursor })).toMatchObject({
    messages: [{ ts: first, reply_count: 1, latest_reply: answer }],
    has_more: false,
  })
  const replies = await web.conversations.replies({ channel, ts: first })
  expect(replies.messages?.map(({ text }) => text)).toEqual(['one', 'two'])
})
