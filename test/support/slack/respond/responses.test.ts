import { expect, test } from 'vitest'
import { listenTo, setUp } from '../set-up.ts'

async function say(url: string | undefined, body: unknown) {
  const response = await fetch(String(url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}

test('a command is answered with its acknowledgement and at its URL', async () => {
  await using at = await setUp()
  const { slack, ada, general } = at
  await using app = await listenTo(slack, (heard) => heard.ack({ text: 'working' }))
  const typed = general.command(ada, '/countersign', 'status')
  expect(await typed.outcome).toMatchObject({ kind: 'acked' })
  expect(app.heard[0]).toMatchObject({
    type: 'slash_commands',
    body: {
      command: '/countersign',
      text: 'status',
      user_id: ada.id,
      channel_name: 'general',
      trigger_id: typed.triggerId,
    },
  })
  expect(await say(typed.responseUrl, { text: 'done', response_type: 'in_channel' })).toEqual({
    status: 200,
    text: 'ok',
  })
  expect(general.ephemerals(ada).map(({ text }) => text)).toEqual(['working'])
  expect(general.botMessages().map(({ text }) => text)).toEqual(['done'])
})

test('only commands of the app can be typed, and silence is a failure', async () => {
  await using at = await setUp({ commands: ['/countersign'], ackTimeoutMs: 50 })
  const { slack, ada, general } = at
  expect(() => general.command(ada, '/other')).toThrow('no command')
  await using _app = await listenTo(slack, () => undefined)
  expect(await general.command(ada, '/countersign').outcome).toEqual({
    kind: 'failed',
    reason: 'timeout',
  })
})

test('a click is answered by changing or deleting what was clicked, five times and for half an hour', async () => {
  let now = 1_800_000_000_000
  await using at = await setUp({ now: () => now })
  const { slack, web, ada, general } = at
  await using _app = await listenTo(slack)
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
  const click = general.click(ada, String(message_ts), 'Go')
  await click.outcome
  await say(click.responseUrl, { replace_original: true, text: 'gone through' })
  expect(general.ephemerals(ada)).toMatchObject([{ text: 'gone through', buttons: [] }])
  await say(click.responseUrl, { delete_original: true })
  expect(general.ephemerals(ada)).toEqual([])
  expect(await say(click.responseUrl, { blocks: [{ type: 'other' }] })).toMatchObject({
    status: 400,
  })
  for (let index = 0; index < 3; index++) await say(click.responseUrl, { text: 'more' })
  expect(await say(click.responseUrl, { text: 'x' })).toMatchObject({
    status: 404,
    text: expect.stringContaining('used_url'),
  })
  const later = general.command(ada, '/countersign')
  now += 30 * 60_000 + 1
  expect(await say(later.responseUrl, { text: 'x' })).toMatchObject({
    status: 404,
    text: expect.stringContaining('expired_url'),
  })
})
