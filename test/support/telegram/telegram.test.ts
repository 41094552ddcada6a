import { Api, GrammyError, HttpError, InputFile } from 'grammy'
import type { InlineKeyboardMarkup } from 'grammy/types'
import { expect, test } from 'vitest'
import { createTelegram, type TelegramOptions } from './telegram.ts'

async function setUp(options?: TelegramOptions) {
  const telegram = await createTelegram(options)
  const api = new Api(telegram.token, { apiRoot: telegram.url })
  const ada = telegram.addUser({ id: 42, first_name: 'Ada', username: 'ada_l' })
  return { telegram, api, ada, chat: telegram.privateChat(ada) }
}

test('a person writes, the bot answers, the person sees the answer', async () => {
  const { telegram, api, ada, chat } = await setUp()
  await using _ = telegram
  chat.send(ada, '/start now')
  const [update] = await api.getUpdates()
  expect(update?.message).toMatchObject({
    text: '/start now',
    from: { id: 42, first_name: 'Ada' },
    chat: { id: 42, type: 'private' },
    entities: [{ type: 'bot_command', offset: 0, length: 6 }],
  })
  const sent = await api.sendMessage(42, '<b>Hello</b> &lt;you&gt;', { parse_mode: 'HTML' })
  expect(sent).toMatchObject({ message_id: 2, text: 'Hello <you>', from: { is_bot: true } })
  await api.editMessageText(42, sent.message_id, 'Bye')
  expect(chat.messages().map(({ text, edits }) => [text, edits])).toEqual([
    ['/start now', 0],
    ['Bye', 1],
  ])
})

test('a tap reaches the bot and its answer reaches the person', async () => {
  const { telegram, api, ada, chat } = await setUp()
  await using _ = telegram
  const reply_markup: InlineKeyboardMarkup = {
    inline_keyboard: [[{ text: 'Approve', callback_data: 'tok' }]],
  }
  const sent = await api.sendMessage(42, 'Card', { reply_markup })
  const tap = chat.tap(ada, sent.message_id, 'Approve')
  const [update] = await api.getUpdates()
  expect(update?.callback_query).toMatchObject({ data: 'tok', message: { message_id: 1 } })
  await api.answerCallbackQuery(tap.id, { text: 'Done', show_alert: true })
  expect(await tap.answered).toMatchObject({ text: 'Done', show_alert: true })
})

test('a document arrives whole and can be downloaded', async () => {
  const { telegram, api, chat } = await setUp()
  await using _ = telegram
  const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 251)
  const sent = await api.sendDocument(42, new InputFile(bytes, 'diff of it.patch'), {
    caption: 'All',
  })
  expect(sent.document).toMatchObject({ file_name: 'diff of it.patch', file_size: 70_000 })
  expect(chat.messages()[0]).toMatchObject({
    text: 'All',
    document: { name: 'diff of it.patch', bytes },
  })
  const file = await api.getFile(sent.document.file_id)
  const response = await fetch(`${telegram.url}/file/bot${telegram.token}/${file.file_path}`)
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
})

test('errors arrive', async () => {
  const { telegram, api } = await setUp()
  await using _ = telegram
  await expect(api.sendMessage(77, 'x')).rejects.toThrow(GrammyError)
  telegram.failNext('sendMessage', { kind: 'drop-before' })
  await expect(api.sendMessage(42, 'x')).rejects.toThrow(HttpError)
})
