import { expect, test } from 'vitest'
import { listenTo, setUp } from './set-up.ts'

test('a mention is answered by a card, and a click on it reaches the app', async () => {
  await using at = await setUp()
  const { slack, web, ada, general } = at
  await using app = await listenTo(slack)
  const ts = general.say(ada, `${slack.mention} list <files> & more`)
  await slack.waitFor(() => app.heard.length === 2)
  const [mention, message] = ['app_mention', 'message'].map((type) =>
    app.heard
      .map(({ body }) => body['event'] as Record<string, unknown>)
      .find((event) => event['type'] === type),
  )
  expect(mention).toMatchObject({ user: ada.id, ts, channel: general.id })
  expect(mention).not.toHaveProperty('channel_type')
  expect(message).toMatchObject({
    text: `${slack.mention} list &lt;files&gt; &amp; more`,
    channel_type: 'channel',
    team: slack.teamId,
    blocks: [{ type: 'rich_text' }],
  })
  const posted = await web.chat.postMessage({
    channel: general.id,
    thread_ts: ts,
    text: 'Approve?',
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: '*Run* `ls`?' } },
      {
        type: 'actions',
        elements: [
          {
            type: 'button',
            action_id: 'yes',
            value: 'token',
            style: 'primary',
            text: { type: 'plain_text', text: 'Approve' },
          },
        ],
      },
    ],
  })
  const card = general.thread(ts)[1]
  expect(card).toMatchObject({
    ts: posted.ts,
    text: '*Run* `ls`?',
    fallback: 'Approve?',
    from: { kind: 'app' },
    buttons: [{ label: 'Approve', actionId: 'yes', value: 'token', style: 'primary' }],
  })
  const click = general.click(ada, String(posted.ts), 'Approve')
  expect(await click.outcome).toMatchObject({ kind: 'acked' })
  expect(app.heard.at(-1)).toMatchObject({
    type: 'interactive',
    body: {
      type: 'block_actions',
      user: { id: ada.id, team_id: slack.teamId },
      channel: { id: general.id, name: 'general' },
      container: { message_ts: posted.ts, thread_ts: ts, is_ephemeral: false },
      message: { ts: posted.ts, bot_id: expect.any(String) },
      actions: [{ action_id: 'yes', value: 'token', type: 'button', block_id: expect.any(String) }],
      trigger_id: click.triggerId,
      response_url: click.responseUrl,
    },
  })
})

test('a message is changed and deleted, and people see each version', async () => {
  await using at = await setUp()
  const { slack, web, general } = at
  const { ts } = await web.chat.postMessage({ channel: general.id, text: 'one' })
  await web.chat.update({ channel: general.id, ts: String(ts), text: 'two' })
  expect(general.messages()).toMatchObject([{ text: 'two', edits: 1, showsEdited: true }])
  await web.chat.delete({ channel: general.id, ts: String(ts) })
  expect(general.messages()).toEqual([])
  expect(general.history.map(({ kind, message }) => [kind, message.text])).toEqual([
    ['send', 'one'],
    ['edit', 'two'],
    ['delete', 'two'],
  ])
  expect(slack.eventsOf('message').map((event) => event['subtype'])).toEqual([
    undefined,
    'message_changed',
    'message_deleted',
  ])
})

test('a notice is seen by one person, and no event tells of it', async () => {
  await using at = await setUp()
  const { slack, web, ada, general } = at
  const bob = slack.user('bob')
  general.join(bob)
  await web.chat.postEphemeral({ channel: general.id, user: ada.id, text: 'only you' })
  expect((await general.waitForEphemeral(ada, 'only')).text).toBe('only you')
  expect(general.ephemerals(bob)).toEqual([])
  expect(general.botMessages()).toEqual([])
  expect(slack.eventsOf('message').filter((event) => event['text'] === 'only you')).toEqual([])
})

test('a notice in a thread without an answer is seen by nobody, as Slack documents', async () => {
  await using at = await setUp()
  const { web, ada, general } = at
  const thread_ts = general.say(ada, 'hello')
  const notice = { channel: general.id, user: ada.id, thread_ts }
  await web.chat.postEphemeral({ ...notice, text: 'too early' })
  await web.chat.postMessage({ channel: general.id, thread_ts, text: 'an answer' })
  await web.chat.postEphemeral({ ...notice, text: 'in time' })
  expect(general.ephemerals(ada).map(({ text }) => text)).toEqual(['in time'])
})

test('what writes a name tells somebody, and what only looks like it does not', async () => {
  await using at = await setUp()
  const { web, ada, general } = at
  const write = async (
    given: Parameters<typeof web.chat.postMessage>[0] & { channel?: string },
  ) => {
    await web.chat.postMessage({ ...given, channel: general.id } as never)
    return general.messages().at(-1)?.notified
  }
  const channel = ''
  const none = { users: [], broadcasts: [], groups: [] }
  expect(await write({ channel, text: `<!channel> <@${ada.id}>` })).toEqual({
    users: [ada.id],
    broadcasts: ['channel'],
    groups: [],
  })
  expect(await write({ channel, text: '&lt;!channel&gt; @channel' })).toEqual(none)
  const rich = (elements: unknown[]) => [
    { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] },
  ]
  const literal = rich([{ type: 'text', text: `<!here> <@${ada.id}>` }])
  expect(await write({ channel, text: 'x', blocks: literal as never })).toEqual(none)
  const named = rich([
    { type: 'broadcast', range: 'here' },
    { type: 'usergroup', usergroup_id: 'S1' },
  ])
  expect(await write({ channel, text: 'x', blocks: named as never })).toEqual({
    users: [],
    broadcasts: ['here'],
    groups: ['S1'],
  })
  const markdown = [{ type: 'markdown', text: 'hello @everyone' }]
  expect((await write({ channel, text: 'x', blocks: markdown as never }))?.broadcasts).toEqual([
    'everyone',
  ])
})
