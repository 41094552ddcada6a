import { expect, test } from 'vitest'
import { methodNames } from '../methods/method-table.ts'
import { setUp } from '../set-up.ts'

test('a token must be there, known, of the right kind, and alive', async () => {
  await using at = await setUp()
  const { slack, call } = at
  expect(await call('auth.test')).toMatchObject({
    ok: true,
    user_id: slack.botUserId,
    team_id: slack.teamId,
    bot_id: 'B0COUNTERS1',
  })
  expect(await call('auth.test', {}, '')).toMatchObject({ error: 'not_authed', status: 200 })
  expect(await call('auth.test', { token: slack.botToken }, '')).toMatchObject({
    error: 'not_authed',
  })
  expect(await call('auth.test', {}, 'xoxb-wrong')).toMatchObject({ error: 'invalid_auth' })
  expect(await call('auth.test', {}, slack.appToken)).toMatchObject({
    error: 'not_allowed_token_type',
  })
  expect(await call('no.such')).toMatchObject({ error: 'unknown_method', req_method: 'no.such' })
  slack.uninstall()
  expect(await call('auth.test')).toMatchObject({ error: 'account_inactive' })
})

test('a body is a form or JSON, and JSON is an object', async () => {
  await using at = await setUp()
  const { slack, general } = at
  const send = async (type: string | undefined, body: string) => {
    const headers = { authorization: `Bearer ${slack.botToken}`, 'content-type': type ?? '' }
    const response = await fetch(`${slack.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers,
      body,
    })
    return ((await response.json()) as { error?: string }).error
  }
  const form = new URLSearchParams({ channel: general.id, text: 'x' }).toString()
  expect(await send('application/x-www-form-urlencoded', form)).toBeUndefined()
  expect(await send('text/csv', 'x')).toBe('invalid_post_type')
  expect(await send('application/json', '[]')).toBe('invalid_json')
  expect(await send('application/json', '{')).toBe('invalid_json')
})

test('every scope is needed by some call, which names it', async () => {
  await using at = await setUp({ scopes: ['none'] })
  const { slack, ada, general, call } = at
  const dm = slack.dm(ada)
  const bob = slack.user('bob')
  const needed = async (method: string, params: object = {}) => {
    const { error, needed: scopes, provided } = await call(method, { ...params })
    expect([error, provided], method).toEqual(['missing_scope', 'none'])
    return scopes
  }
  for (const method of methodNames().filter((name) => name.startsWith('chat.'))) {
    expect(await needed(method)).toBe('chat:write')
  }
  const thread = { channel_id: dm.id, thread_ts: '1.1', status: '' }
  expect(await needed('assistant.threads.setStatus', thread)).toBe('chat:write,assistant:write')
  expect(await needed('assistant.threads.setTitle')).toBe('assistant:write')
  expect(await needed('agents.sessions.setStatus')).toBe('chat:write')
  expect(await needed('users.info', { user: ada.id })).toBe('users:read')
  expect(await needed('conversations.info', { channel: general.id })).toBe('channels:read')
  expect(await needed('conversations.info', { channel: dm.id })).toBe('im:read')
  expect(await needed('conversations.history', { channel: general.id })).toBe('channels:history')
  expect(await needed('conversations.replies', { channel: dm.id })).toBe('im:history')
  expect(await needed('conversations.open', { users: ada.id })).toBe('im:write')
  expect(await needed('conversations.open', { users: `${ada.id},${bob.id}` })).toBe('mpim:write')
  expect(await needed('files.getUploadURLExternal')).toBe('files:write')
  expect(await needed('files.info')).toBe('files:read')
  expect(await needed('reactions.add')).toBe('reactions:write')
})

test('writing is refused where the app is not, cannot see, or may not', async () => {
  await using at = await setUp()
  const { slack, ada, general, call } = at
  const write = async (channel: string, params: object = {}) =>
    (await call('chat.postMessage', { channel, text: 'x', ...params })).error
  expect(await write('C0NOWHERE')).toBe('channel_not_found')
  const elsewhere = slack.channel({ name: 'elsewhere', members: [ada], app: false })
  expect(await write(elsewhere.id)).toBe('not_in_channel')
  const secret = slack.channel({ name: 'secret', members: [ada], isPrivate: true, app: false })
  expect(await write(secret.id)).toBe('channel_not_found')
  expect(await write(ada.id)).toBeUndefined()
  expect(slack.dm(ada).botMessages()).toHaveLength(1)
  general.makeReadOnly()
  expect(await write(general.id)).toBe('restricted_action_read_only_channel')
  general.archive()
  expect(await write(general.id)).toBe('is_archived')
  expect((await call('chat.postMessage', { text: 'x' })).error).toBe('invalid_arguments')
})

test('a message needs words, a thread that is there, and no two kinds of markdown', async () => {
  await using at = await setUp()
  const { ada, general, call } = at
  const write = async (params: object) =>
    await call('chat.postMessage', { channel: general.id, ...params })
  expect(await write({})).toMatchObject({ error: 'no_text' })
  expect(await write({ text: '' })).toMatchObject({ error: 'no_text' })
  expect(await write({ text: 'x', markdown_text: 'x' })).toMatchObject({
    error: 'markdown_text_conflict',
  })
  expect(await write({ markdown_text: 'x'.repeat(12_001) })).toMatchObject({
    error: 'msg_too_long',
  })
  expect(await write({ text: 'x', metadata: { event_type: 1 } })).toMatchObject({
    error: 'invalid_metadata_format',
  })
  expect(await write({ text: 'x', thread_ts: '0' })).toMatchObject({
    error: 'invalid_thread_ts',
    response_metadata: { messages: ['[ERROR] 0 is not a valid thread_ts'] },
  })
  expect(await write({ text: 'x', thread_ts: '1700000000.000001' })).toMatchObject({
    error: 'thread_not_found',
  })
  const asked = general.say(ada, 'one')
  const answer = general.say(ada, 'two', { thread: asked })
  expect(await write({ text: 'x', thread_ts: answer })).toMatchObject({
    error: 'cannot_reply_to_message',
  })
  await write({ text: 'x'.repeat(40_001) })
  expect(general.botMessages()[0]?.text).toHaveLength(40_000)
})

test('only what the app wrote, is there and is short enough can be changed', async () => {
  let now = 1_800_000_000_000
  await using at = await setUp({ now: () => now })
  const { slack, ada, general, call } = at
  const said = general.say(ada, 'mine')
  const { ts } = await call('chat.postMessage', { channel: general.id, text: 'x' })
  const { message_ts } = await call('chat.postEphemeral', {
    channel: general.id,
    user: ada.id,
    text: 'x',
  })
  const update = async (params: object) =>
    (await call('chat.update', { channel: general.id, text: 'y', ...params })).error
  expect(await update({ ts: said })).toBe('cant_update_message')
  expect(await update({ ts: message_ts })).toBe('message_not_found')
  expect(await update({ ts, text: 'x'.repeat(4001) })).toBe('msg_too_long')
  expect(await update({ ts, text: 'я'.repeat(2001) })).toBe('msg_too_long')
  expect(await update({ ts })).toBeUndefined()
  slack.limits.editWindowMs = 1000
  now += 1001
  expect(await update({ ts })).toBe('edit_window_closed')
  expect((await call('chat.delete', { channel: general.id, ts: said })).error).toBe(
    'cant_delete_message',
  )
  general.archive()
  expect(await update({ ts })).toBe('is_inactive')
  const bob = slack.user('bob')
  expect(
    (await call('chat.postEphemeral', { channel: general.id, user: bob.id, text: 'x' })).error,
  ).toBe('is_archived')
  general.archive(false)
  expect(
    (await call('chat.postEphemeral', { channel: general.id, user: bob.id, text: 'x' })).error,
  ).toBe('user_not_in_channel')
})

test('people are known by their id, and strangers by a channel that they share', async () => {
  await using at = await setUp()
  const { slack, call } = at
  const user = async (id: string) => await call('users.info', { user: id, include_locale: true })
  expect(await user('U0NOBODY')).toMatchObject({ error: 'user_not_found' })
  const guest = slack.user('guest', { guest: 'single' })
  expect(await user(guest.id)).toMatchObject({
    user: {
      is_restricted: true,
      is_ultra_restricted: true,
      is_bot: false,
      deleted: false,
      locale: 'en-US',
    },
  })
  const gone = slack.user('gone', { deleted: true })
  expect(await user(gone.id)).toMatchObject({ user: { deleted: true } })
  expect(await call('conversations.open', { users: gone.id })).toMatchObject({
    error: 'user_disabled',
  })
  const other = slack.team('Other')
  const stranger = slack.user('zoe', { teamId: other.id })
  expect(await user(stranger.id)).toMatchObject({ error: 'user_not_visible' })
  const shared = slack.channel({ name: 'shared', members: [stranger] })
  expect(await user(stranger.id)).toMatchObject({ user: { is_stranger: true, team_id: other.id } })
  expect(await call('conversations.info', { channel: shared.id })).toMatchObject({
    channel: { is_ext_shared: true, is_member: true, name: 'shared' },
  })
})
