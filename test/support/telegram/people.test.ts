import type { Update } from 'grammy/types'
import { expect, test } from 'vitest'
import { anonymousAdmin } from './bot-standings.ts'
import { type SetUp, setUp } from './set-up.ts'

async function lastUpdate({ api }: SetUp): Promise<Update | undefined> {
  return (await api.getUpdates()).at(-1)
}

const keyboard = {
  inline_keyboard: [
    [
      { text: 'Approve', callback_data: 'yes' },
      { text: 'Deny', callback_data: 'no' },
    ],
  ],
}

test('commands, mentions, links and hashtags of a text are marked', async () => {
  await using at = await setUp()
  at.chat.send(
    at.ada,
    '/start@countersign_test_bot see /usr/bin, @ada_l a@b.c https://a.example/x. #tag',
  )
  const message = (await lastUpdate(at))?.message
  const marked = message?.entities?.map(({ type, offset, length }) => [
    type,
    message.text?.slice(offset, offset + length),
  ])
  expect(marked).toEqual([
    ['bot_command', '/start@countersign_test_bot'],
    ['mention', '@ada_l'],
    ['url', 'https://a.example/x'],
    ['hashtag', '#tag'],
  ])
})

test('what a bot writes is marked too, but not within code, and no more than a hundred times', async () => {
  await using at = await setUp()
  const sent = await at.api.sendMessage(42, '@everyone <code>@nobody</code> <b>/stop</b>', {
    parse_mode: 'HTML',
  })
  expect(sent.entities?.map(({ type, offset }) => [type, offset])).toEqual([
    ['mention', 0],
    ['code', 10],
    ['bot_command', 18],
    ['bold', 18],
  ])
  const many = await at.api.sendMessage(42, '<b>x</b> '.repeat(101), { parse_mode: 'HTML' })
  expect(many.entities).toHaveLength(100)
})

test('space around a text is trimmed and its formatting with it', async () => {
  await using at = await setUp()
  const sent = await at.api.sendMessage(42, ' \n<b>x\t\r\ny</b> <i> </i>\n', { parse_mode: 'HTML' })
  expect([sent.text, sent.entities]).toEqual(['x \ny', [{ type: 'bold', offset: 0, length: 4 }]])
})

test('a button is tapped as it is shown now', async () => {
  await using at = await setUp()
  const { api, chat, ada } = at
  const { message_id } = await api.sendMessage(42, 'Card', { reply_markup: keyboard })
  chat.tap(ada, message_id, 'Deny')
  expect((await lastUpdate(at))?.callback_query).toMatchObject({
    data: 'no',
    from: { id: 42 },
    message: { message_id, text: 'Card', reply_markup: keyboard },
  })
  chat.tap(ada, message_id, 0)
  expect((await lastUpdate(at))?.callback_query?.data).toBe('yes')
  await api.editMessageText(42, message_id, 'Done')
  expect(() => chat.tap(ada, message_id, 'Deny')).toThrow('no button "Deny"')
  chat.tapRaw(ada, message_id, 'no')
  expect((await lastUpdate(at))?.callback_query).toMatchObject({
    data: 'no',
    message: { text: 'Done' },
  })
})

test('a tap may come from a message that the bot cannot see, or from none', async () => {
  await using at = await setUp()
  const { api, chat, ada } = at
  const { message_id } = await api.sendMessage(42, 'Card', { reply_markup: keyboard })
  chat.tapRaw(ada, message_id, 'yes', 'inaccessible')
  const inaccessible = { message_id, date: 0, chat: { id: 42 } }
  expect((await lastUpdate(at))?.callback_query?.message).toMatchObject(inaccessible)
  chat.tapRaw(ada, message_id, 'yes', 'absent')
  const absent = (await lastUpdate(at))?.callback_query
  expect([absent?.message, absent?.inline_message_id]).toEqual([undefined, `inline-${message_id}`])
  chat.delete(message_id)
  chat.tapRaw(ada, message_id, 'yes')
  expect((await lastUpdate(at))?.callback_query?.message?.date).toBe(0)
})

test('a topic is a thread: its messages say so and answer its first', async () => {
  await using at = await setUp()
  const { api, ada, telegram } = at
  const forum = telegram.group({ id: -1007, title: 'F', members: [ada], forum: true })
  const topic = forum.topic('Deploys', ada)
  forum.send(ada, 'in it', { topic })
  expect((await lastUpdate(at))?.message).toMatchObject({
    chat: { id: -1007, type: 'supergroup', is_forum: true },
    message_thread_id: topic,
    is_topic_message: true,
    reply_to_message: { message_id: topic, forum_topic_created: { name: 'Deploys' } },
  })
  forum.send(ada, 'in general')
  const general = (await lastUpdate(at))?.message
  expect(general?.message_thread_id).toBeUndefined()
  expect(general?.reply_to_message).toBeUndefined()
  const sent = await api.sendMessage(-1007, 'there', { message_thread_id: topic })
  expect(sent).toMatchObject({ message_thread_id: topic, is_topic_message: true })
  const answer = await api.sendMessage(-1007, 'there', {
    reply_parameters: { message_id: sent.message_id },
  })
  expect(answer).toMatchObject({ message_thread_id: topic })
  await api.sendChatAction(-1007, 'typing', { message_thread_id: 1 })
  await api.sendChatAction(-1007, 'typing', { message_thread_id: topic })
  expect(forum.actions.map(({ threadId }) => threadId)).toEqual([1, topic])
})

test('the general topic, unknown, closed and deleted ones take no message', async () => {
  await using at = await setUp()
  const { api, ada, telegram } = at
  const forum = telegram.group({ id: -1007, title: 'F', members: [ada], forum: true })
  const topic = forum.topic('Deploys')
  const sendTo = (message_thread_id: number) => api.sendMessage(-1007, 'x', { message_thread_id })
  const notFound = { description: 'Bad Request: message thread not found' }
  await expect(sendTo(1)).rejects.toMatchObject(notFound)
  await expect(sendTo(99)).rejects.toMatchObject(notFound)
  forum.closeTopic(topic)
  await expect(sendTo(topic)).rejects.toMatchObject({ description: 'Bad Request: TOPIC_CLOSED' })
  forum.deleteTopic(topic)
  await expect(sendTo(topic)).rejects.toMatchObject(notFound)
})

test('in a group without topics a reply has a thread that is no topic', async () => {
  await using at = await setUp()
  const { api, ada, telegram } = at
  const group = telegram.group({ id: -1007, title: 'G', members: [ada] })
  const { message_id } = await api.sendMessage(-1007, 'x', { message_thread_id: 5 })
  group.send(ada, 'y', { replyTo: message_id })
  const message = (await lastUpdate(at))?.message
  expect(message).toMatchObject({ message_thread_id: message_id, reply_to_message: { text: 'x' } })
  expect(message?.is_topic_message).toBeUndefined()
})

test('anonymous administrators, channels and inline bots are told apart from people', async () => {
  await using at = await setUp()
  const { ada, telegram } = at
  const group = telegram.group({ id: -1007, title: 'G', members: [ada] })
  const channel = telegram.channel({ id: -1008, title: 'News' })
  group.sendAnonymously('/stop')
  expect((await lastUpdate(at))?.message).toMatchObject({
    from: { id: 1_087_968_824, username: 'GroupAnonymousBot', is_bot: true },
    sender_chat: { id: -1007 },
  })
  expect(anonymousAdmin.id).toBe(1_087_968_824)
  group.post('as the channel', channel.chat)
  expect((await lastUpdate(at))?.message).toMatchObject({
    from: { username: 'Channel_Bot' },
    sender_chat: { id: -1008, type: 'channel' },
  })
  channel.post('news')
  const post = (await lastUpdate(at))?.channel_post
  expect(post).toMatchObject({ text: 'news', sender_chat: { id: -1008 } })
  expect(post?.from).toBeUndefined()
  const viaBot = { id: 9, is_bot: true, first_name: 'Gif', username: 'gif' }
  group.send(ada, 'x', { viaBot })
  expect((await lastUpdate(at))?.message?.via_bot).toEqual(viaBot)
  expect(await at.api.sendMessage(-1008, 'x')).toMatchObject({ sender_chat: { id: -1008 } })
})

test('other media, edits and files of people reach the bot', async () => {
  await using at = await setUp()
  const { api, ada, chat, telegram } = at
  chat.sendPhoto(ada, { caption: 'look /here' })
  expect((await lastUpdate(at))?.message).toMatchObject({
    photo: [{}],
    caption: 'look /here',
    caption_entities: [{ type: 'bot_command' }],
  })
  chat.sendSticker(ada)
  const sticker = (await lastUpdate(at))?.message
  expect([sticker?.text, sticker?.sticker?.emoji]).toEqual([undefined, '👍'])
  const { message_id } = chat.send(ada, 'one')
  chat.edit(ada, message_id, 'two')
  expect((await lastUpdate(at))?.edited_message).toMatchObject({ message_id, text: 'two' })
  const bytes = new TextEncoder().encode('content')
  chat.sendDocument(ada, { name: 'a.txt', bytes })
  const document = (await lastUpdate(at))?.message?.document
  const file = await api.getFile(document?.file_id ?? '')
  const body = await fetch(`${telegram.url}/file/bot${telegram.token}/${file.file_path}`)
  expect(await body.text()).toBe('content')
  chat.sendDocument(ada, { name: 'big', bytes: new Uint8Array(20 * 1024 * 1024 + 1) })
  const big = (await lastUpdate(at))?.message?.document?.file_id ?? ''
  await expect(api.getFile(big)).rejects.toMatchObject({
    description: 'Bad Request: file is too big',
  })
})

test('in privacy mode a bot hears of a group only what is for it', async () => {
  await using at = await setUp({
    bots: [{ token: '1:a', username: 'quiet_bot', readsAllGroupMessages: false }],
  })
  const { api, ada, telegram } = at
  const group = telegram.group({ id: -1007, title: 'G', members: [ada] })
  const sent = await api.sendMessage(-1007, 'x')
  for (const text of ['talk', '@other_bot hi', '/stop@other_bot']) group.send(ada, text)
  expect(await api.getUpdates()).toEqual([])
  group.send(ada, '/stop')
  group.send(ada, 'hello @Quiet_Bot')
  group.send(ada, 'answer', { replyTo: sent.message_id })
  const texts = (await api.getUpdates()).map(({ message }) => message?.text)
  expect(texts).toEqual(['/stop', 'hello @Quiet_Bot', 'answer'])
})

test('a block is told, and ends with an unblock', async () => {
  await using at = await setUp()
  const { api, ada, chat } = at
  chat.block()
  expect((await lastUpdate(at))?.my_chat_member).toMatchObject({
    from: { id: 42 },
    old_chat_member: { status: 'member' },
    new_chat_member: { status: 'kicked' },
  })
  expect(() => chat.send(ada, 'x')).toThrow('blocked')
  chat.unblock()
  await api.sendMessage(42, 'x')
  const bob = at.telegram.addUser({ id: 43, first_name: 'Bob' })
  expect(() => chat.send(bob, 'x')).toThrow('Bob is not in this chat')
})

test('drafts are there when they are switched on, and end with a message', async () => {
  let now = 1_800_000_000_000
  await using at = await setUp({ drafts: true, now: () => now })
  const { api, ada, chat, telegram } = at
  const send = (more: object) => at.call('sendMessageDraft', { chat_id: 42, text: 'x', ...more })
  expect((await send({ draft_id: 0 })).error_code).toBe(400)
  expect((await send({ draft_id: 1, text: 'x'.repeat(4097) })).error_code).toBe(400)
  telegram.group({ id: -1007, title: 'G', members: [ada] })
  expect((await send({ draft_id: 1, chat_id: -1007 })).description).toBe(
    'Bad Request: TEXTDRAFT_PEER_INVALID',
  )
  expect((await send({ draft_id: 1, text: '<b>He</b>', parse_mode: 'HTML' })).ok).toBe(true)
  await send({ draft_id: 1, text: 'Hello', can_stop: true })
  expect(chat.drafts.map(({ text }) => text.text)).toEqual(['He', 'Hello'])
  expect(chat.draft).toMatchObject({ draftId: 1, text: { text: 'Hello' } })
  chat.stopDraft()
  expect((await lastUpdate(at))?.stopped_message_generation).toMatchObject({ draft_id: 1 })
  expect(chat.draft).toBeUndefined()
  await send({ draft_id: 2 })
  now += 30_001
  expect(chat.draft).toBeUndefined()
  await send({ draft_id: 2 })
  await api.sendMessage(42, 'Hello')
  expect(chat.draft).toBeUndefined()
  expect(chat.messages().map(({ text }) => text)).toEqual(['Hello'])
})

test('an update can be given again though it was confirmed', async () => {
  await using at = await setUp()
  const { api, ada, chat, telegram } = at
  chat.send(ada, 'once')
  const [update] = await api.getUpdates()
  if (update === undefined) throw new Error('no update')
  await api.getUpdates({ offset: update.update_id + 1 })
  telegram.repeatUpdate(update)
  expect(await api.getUpdates()).toEqual([update])
})

test('commands are kept by scope and language', async () => {
  await using at = await setUp()
  const { api, telegram } = at
  await api.setMyCommands([{ command: 'stop', description: 'Stops' }])
  await api.setMyCommands([{ command: '/halt', description: 'Hält an' }], {
    scope: { type: 'all_private_chats' },
    language_code: 'de',
  })
  expect(await api.getMyCommands()).toEqual([{ command: 'stop', description: 'Stops' }])
  expect(telegram.commands('all_private_chats:de')).toEqual([
    { command: 'halt', description: 'Hält an' },
  ])
})
