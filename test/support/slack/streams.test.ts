import { expect, test } from 'vitest'
import { setUp } from './set-up.ts'

test('a stream grows in its thread, with tasks, and ends with blocks', async () => {
  await using at = await setUp()
  const { slack, web, ada, general } = at
  const asked = general.say(ada, 'go')
  const recipient = { recipient_user_id: ada.id, recipient_team_id: slack.teamId }
  const { ts } = await web.chat.startStream({
    channel: general.id,
    thread_ts: asked,
    ...recipient,
    chunks: [{ type: 'markdown_text', text: '**Hel' }],
  })
  const stream = { channel: general.id, ts: String(ts) }
  await web.chat.appendStream({ ...stream, chunks: [{ type: 'markdown_text', text: 'lo**' }] })
  const task = { type: 'task_update' as const, id: '1', title: 'list files' }
  await web.chat.appendStream({
    ...stream,
    chunks: [{ ...task, status: 'in_progress', details: 'one, ' }],
  })
  await web.chat.appendStream({
    ...stream,
    chunks: [{ ...task, status: 'complete', details: 'two', output: '3 files' }],
  })
  expect(general.message(String(ts))).toMatchObject({ streaming: 'in_progress', threadTs: asked })
  const elements = [{ type: 'mrkdwn' as const, text: 'done' }]
  const below = [{ type: 'context' as const, elements }]
  await web.chat.stopStream({ ...stream, chunks: [{ type: 'blocks', blocks: below }] })
  expect(general.message(String(ts))).toMatchObject({
    text: '**Hello**\nlist files\none, two\n3 files\ndone',
    streaming: 'completed',
    blocks: [{ type: 'markdown' }, { type: 'task_card', status: 'complete' }, { type: 'context' }],
  })
})

test('a stream is refused without recipient or thread, by others, when it is over, and when it is too long', async () => {
  let now = 1_800_000_000_000
  await using at = await setUp({ now: () => now })
  const { slack, ada, general, call } = at
  const dm = slack.dm(ada)
  const recipient = { recipient_user_id: ada.id, recipient_team_id: slack.teamId }
  const start = async (params: object) =>
    await call('chat.startStream', { markdown_text: 'x', ...params })
  expect(await start({ channel: general.id })).toMatchObject({ error: 'missing_recipient_user_id' })
  expect(await start({ channel: general.id, recipient_user_id: ada.id })).toMatchObject({
    error: 'missing_recipient_team_id',
  })
  expect(await start({ channel: dm.id, ...recipient })).toMatchObject({
    error: 'invalid_arguments',
  })
  const { ts } = await start({ channel: general.id, ...recipient })
  const stream = { channel: general.id, ts }
  const append = async (params: object) => await call('chat.appendStream', { ...stream, ...params })
  expect(await append({})).toMatchObject({ error: 'no_text' })
  expect(await append({ markdown_text: 'x'.repeat(12_001) })).toMatchObject({
    error: 'msg_too_long',
  })
  expect(await append({ markdown_text: 'x'.repeat(12_000) })).toMatchObject({
    error: 'msg_too_long',
  })
  expect(await append({ chunks: [{ type: 'other' }] })).toMatchObject({ error: 'invalid_chunks' })
  expect(await call('chat.update', { ...stream, text: 'x' })).toMatchObject({
    error: 'streaming_state_conflict',
  })
  expect(await call('chat.delete', stream)).toMatchObject({ error: 'cant_delete_message' })
  expect(await append({ markdown_text: 'x', chunks: [] })).toMatchObject({
    error: 'cannot_provide_both_markdown_text_and_chunks',
  })
  const chunks = [{ type: 'markdown_text', text: 'x' }]
  expect(await append({ chunks })).toMatchObject({ error: 'streaming_mode_mismatch' })
  now += 300_001
  expect(await append({ markdown_text: 'late' })).toMatchObject({
    error: 'message_not_in_streaming_state',
  })
  const said = general.say(ada, 'mine')
  expect(await call('chat.stopStream', { channel: general.id, ts: said })).toMatchObject({
    error: 'message_not_owned_by_app',
  })
})

test('a stream that nothing is added to ends after half a minute, and one of chunks takes no blocks beside them', async () => {
  let now = 1_800_000_000_000
  await using at = await setUp({ now: () => now })
  const { slack, ada, general, call } = at
  const asked = general.say(ada, 'go')
  const recipient = { recipient_user_id: ada.id, recipient_team_id: slack.teamId }
  const task = { type: 'task_update', id: '1', title: 'one', status: 'in_progress' }
  const { ts } = await call('chat.startStream', {
    channel: general.id,
    thread_ts: asked,
    ...recipient,
    task_display_mode: 'plan',
    chunks: [
      { type: 'plan_update', title: 'Working <!channel>' },
      { ...task, output: 'a' },
    ],
  })
  const stream = { channel: general.id, ts }
  expect(general.message(String(ts)).notified.broadcasts).toEqual(['channel'])
  expect(general.session(asked)?.status).toBe('processing')
  now += 29_000
  expect(
    await call('chat.appendStream', { ...stream, chunks: [{ ...task, output: 'b' }] }),
  ).toMatchObject({
    ok: true,
  })
  expect(general.message(String(ts)).text).toContain('one\nab')
  const below = [{ type: 'divider' }]
  expect(await call('chat.stopStream', { ...stream, blocks: below })).toMatchObject({
    error: 'streaming_mode_mismatch',
  })
  now += 30_001
  expect(await call('chat.appendStream', { ...stream, chunks: [task] })).toMatchObject({
    error: 'message_not_in_streaming_state',
  })
  expect(await call('chat.update', { ...stream, text: 'all of it' })).toMatchObject({ ok: true })
})

test('Stop ends the streams of a session, and the app is told', async () => {
  await using at = await setUp()
  const { slack, web, ada, general, call } = at
  const asked = general.say(ada, 'go')
  const thread = { channel_id: general.id, thread_ts: asked }
  expect(() => general.pressStop(ada, asked)).toThrow('no Stop button')
  expect(
    await call('agents.sessions.setStatus', { ...thread, status: 'processing', title: 'Go' }),
  ).toMatchObject({
    agent_status: 'processing',
    title: 'Go',
  })
  const { ts } = await web.chat.startStream({
    channel: general.id,
    thread_ts: asked,
    recipient_user_id: ada.id,
    recipient_team_id: slack.teamId,
    markdown_text: 'one ',
  })
  general.pressStop(ada, asked)
  const event = { user: ada.id, channel: general.id, thread_ts: asked, streaming_message_ts: [ts] }
  expect(slack.eventsOf('agent_session_stopped')).toMatchObject([event])
  const stream = { channel: general.id, ts }
  expect(await call('chat.appendStream', { ...stream, markdown_text: 'two' })).toMatchObject({
    error: 'stopped_by_user',
  })
  expect(general.session(asked)?.status).toBe('processing')
  await call('chat.stopStream', { ...stream, session_status: 'active' })
  expect(general.session(asked)).toMatchObject({ status: 'active', title: 'Go' })
  expect(await call('agents.sessions.setStatus', { ...thread, status: 'odd' })).toMatchObject({
    error: 'invalid_status',
  })
  expect(
    await call('agents.sessions.setStatus', { channel_id: general.id, status: 'active' }),
  ).toMatchObject({
    error: 'thread_ts_required',
  })
})

test('an assistant thread has a status for two minutes or until a message, prompts and a title', async () => {
  let now = 1_800_000_000_000
  await using at = await setUp({ now: () => now })
  const { slack, web, ada, general, call } = at
  const thread = slack.assistant(ada, general)
  expect(slack.eventsOf('assistant_thread_started')).toMatchObject([
    {
      assistant_thread: {
        user_id: ada.id,
        channel_id: thread.id,
        thread_ts: thread.threadTs,
        context: { channel_id: general.id },
      },
    },
  ])
  const place = { channel_id: thread.id, thread_ts: thread.threadTs }
  const prompts = [{ title: 'Status', message: 'What runs?' }] as [
    { title: string; message: string },
  ]
  await web.assistant.threads.setSuggestedPrompts({ ...place, prompts })
  await web.assistant.threads.setTitle({ ...place, title: 'Files' })
  thread.tapPrompt('Status')
  expect(slack.eventsOf('message')).toMatchObject([
    { subtype: 'assistant_app_thread', ts: thread.threadTs, user: slack.botUserId },
    { subtype: 'message_changed', message: { subtype: 'assistant_app_thread' } },
    {
      text: 'What runs?',
      channel_type: 'im',
      thread_ts: thread.threadTs,
      parent_user_id: slack.botUserId,
      assistant_thread: { action_token: expect.any(String) },
    },
  ])
  expect(thread.title).toBe('Files')
  expect(thread.messages().map(({ text }) => text)).toEqual(['What runs?'])
  await web.assistant.threads.setStatus({
    ...place,
    status: 'is thinking…',
    loading_messages: ['Reading'],
  })
  expect(thread.status(thread.threadTs)).toBe('is thinking…')
  await web.chat.postMessage({ channel: thread.id, thread_ts: thread.threadTs, text: 'x' })
  expect(thread.status(thread.threadTs)).toBe('')
  await web.assistant.threads.setStatus({ ...place, status: 'again' })
  now += 120_001
  expect(thread.status(thread.threadTs)).toBe('')
  thread.lookAt(general)
  expect(slack.eventsOf('assistant_thread_context_changed')).toHaveLength(1)
  const five = Array(5).fill({ title: 'x', message: 'x' })
  expect(
    await call('assistant.threads.setSuggestedPrompts', { ...place, prompts: five }),
  ).toMatchObject({
    error: 'invalid_arguments',
  })
  const wrong = { channel_id: general.id, thread_ts: '1800000000.000009' }
  expect(await call('assistant.threads.setStatus', { ...wrong, status: 'x' })).toMatchObject({
    error: 'invalid_thread_ts',
  })
})
