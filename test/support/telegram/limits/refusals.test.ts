import { InputFile } from 'grammy'
import { expect, test } from 'vitest'
import { type SetUp, setUp } from '../set-up.ts'

const text = 'x'
const chat_id = 42

/** What is wrong with a call, the call, and Telegram's words after `Bad Request: `. */
const badRequests: readonly (readonly [string, string, Record<string, unknown>, string])[] = [
  ['no chat', 'sendMessage', { text }, 'chat_id is empty'],
  ['an unknown chat', 'sendMessage', { text, chat_id: 7 }, 'chat not found'],
  ['an unknown group', 'sendMessage', { text, chat_id: -100_7 }, 'chat not found'],
  ['an unknown channel', 'sendMessage', { text, chat_id: '@nobody' }, 'chat not found'],
  ['no text', 'sendMessage', { chat_id }, 'message text is empty'],
  ['an empty text', 'sendMessage', { chat_id, text: '' }, 'message text is empty'],
  ['a blank text', 'sendMessage', { chat_id, text: ' \n ' }, 'text must be non-empty'],
  ['an invisible text', 'sendMessage', { chat_id, text: '\u200b' }, 'text must be non-empty'],
  [
    'only empty tags',
    'sendMessage',
    { chat_id, text: '<b></b>', parse_mode: 'HTML' },
    'text must be non-empty',
  ],
  ['4,097 characters', 'sendMessage', { chat_id, text: 'x'.repeat(4097) }, 'message is too long'],
  ['2,049 emoji', 'sendMessage', { chat_id, text: '😀'.repeat(2049) }, 'message is too long'],
  ['32,769 bytes', 'sendMessage', { chat_id, text: 'x'.repeat(32_769) }, 'text is too long'],
  [
    'half a character',
    'sendMessage',
    { chat_id, text: '\ud83d' },
    'strings must be encoded in UTF-8',
  ],
  [
    'a parse mode that is none',
    'sendMessage',
    { chat_id, text, parse_mode: 'BBCode' },
    'unsupported parse_mode',
  ],
  [
    'wrong markup',
    'sendMessage',
    { chat_id, text: 'a < b', parse_mode: 'HTML' },
    'can\'t parse entities: Unsupported start tag "" at byte offset 2',
  ],
  [
    'an entity beyond the text',
    'sendMessage',
    { chat_id, text, entities: [{ type: 'bold', offset: 0, length: 2 }] },
    'entity beginning at UTF-16 offset 0 ends after the end of the text at UTF-16 offset 2',
  ],
  [
    'an entity without a place',
    'sendMessage',
    { chat_id, text, entities: [{ type: 'bold', offset: '0', length: 1 }] },
    'can\'t parse MessageEntity: Field "offset" must be of type Number',
  ],
  [
    'a text that is a number',
    'sendMessage',
    { chat_id, text: 5 },
    'can\'t parse parameter "text": a String is expected',
  ],
  [
    'a switch that is a number',
    'sendMessage',
    { chat_id, text, disable_notification: 5 },
    'can\'t parse parameter "disable_notification": a Boolean is expected',
  ],
  [
    'markup that is no object',
    'sendMessage',
    { chat_id, text, reply_markup: [] },
    'object expected as reply markup',
  ],
  [
    'markup that is no JSON',
    'sendMessage',
    { chat_id, text, reply_markup: '{' },
    "can't parse reply keyboard markup JSON object",
  ],
  [
    'a missing message to answer',
    'sendMessage',
    { chat_id, text, reply_parameters: { message_id: 99 } },
    'message to be replied not found',
  ],
  [
    'a missing message to answer, as of old',
    'sendMessage',
    { chat_id, text, reply_to_message_id: 99 },
    'message to be replied not found',
  ],
  [
    'a topic in a private chat',
    'sendMessage',
    { chat_id, text, message_thread_id: 5 },
    'message thread not found',
  ],
  [
    'an unknown chat action',
    'sendChatAction',
    { chat_id, action: 'thinking' },
    'wrong parameter action in request',
  ],
  [
    'a message to edit that is not there',
    'editMessageText',
    { chat_id, message_id: 99, text },
    'message to edit not found',
  ],
  ['no message to edit', 'editMessageText', { text }, 'message identifier is not specified'],
  [
    'a message to delete that is not there',
    'deleteMessage',
    { chat_id, message_id: 99 },
    'message to delete not found',
  ],
  ['no message to delete', 'deleteMessage', { chat_id }, 'message identifier is not specified'],
  [
    'an unknown tap',
    'answerCallbackQuery',
    { callback_query_id: '1' },
    'query is too old and response timeout expired or query ID is invalid',
  ],
  ['no document', 'sendDocument', { chat_id }, 'there is no document in the request'],
  ['an unknown file', 'getFile', { file_id: 'x' }, 'invalid file_id'],
  ['no file', 'getFile', {}, 'file_id not specified'],
  [
    'commands that are no list',
    'setMyCommands',
    { commands: {} },
    'expected an Array of BotCommand',
  ],
  [
    'a command in capitals',
    'setMyCommands',
    { commands: [{ command: 'Start', description: 'x' }] },
    'BOT_COMMAND_INVALID',
  ],
  [
    'a command with a dash',
    'setMyCommands',
    { commands: [{ command: 'a-b', description: 'x' }] },
    'BOT_COMMAND_INVALID',
  ],
  [
    'a long command',
    'setMyCommands',
    { commands: [{ command: 'a'.repeat(33), description: 'x' }] },
    'command length must not exceed 32',
  ],
  [
    'a command without words',
    'setMyCommands',
    { commands: [{ command: 'a', description: ' ' }] },
    'command description must be non-empty',
  ],
  [
    'a command with too many words',
    'setMyCommands',
    { commands: [{ command: 'a', description: 'x'.repeat(257) }] },
    'command description length must not exceed 256',
  ],
  [
    '101 commands',
    'setMyCommands',
    { commands: Array.from({ length: 101 }, (_, i) => ({ command: `c${i}`, description: 'x' })) },
    'BOT_COMMANDS_TOO_MUCH',
  ],
  [
    'an unknown scope',
    'setMyCommands',
    { commands: [], scope: { type: 'moon' } },
    "can't parse BotCommandScope: Unsupported type specified",
  ],
  [
    'a webhook without https',
    'setWebhook',
    { url: 'http://bot.example/' },
    'bad webhook: An HTTPS URL must be provided for webhook',
  ],
  [
    'a webhook on another port',
    'setWebhook',
    { url: 'https://bot.example:9000/' },
    'bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443',
  ],
  ['a webhook that is no URL', 'setWebhook', { url: 'bot' }, 'invalid webhook URL specified'],
  [
    'a secret with a space',
    'setWebhook',
    { url: 'https://bot.example/', secret_token: 'a b' },
    'secret token contains unallowed characters',
  ],
  [
    'a long secret',
    'setWebhook',
    { url: 'https://bot.example/', secret_token: 'a'.repeat(257) },
    'secret token is too long',
  ],
]

test.each(badRequests)('%s is refused', async (_what, method, params, words) => {
  await using at = await setUp()
  expect(await at.call(method, params)).toEqual({
    status: 400,
    ok: false,
    error_code: 400,
    description: `Bad Request: ${words}`,
  })
})

const button = (more: object) => [[{ text: 'x', ...more }]]
const row = (length: number) => Array.from({ length }, () => ({ text: 'x', callback_data: 'y' }))

test.each([
  ['data of 65 bytes', button({ callback_data: 'é'.repeat(33) }), 'BUTTON_DATA_INVALID'],
  [
    'a button that does nothing',
    button({}),
    "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
  ],
  [
    'empty data',
    button({ callback_data: '' }),
    "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
  ],
  [
    'data that is a number',
    button({ callback_data: 5 }),
    'can\'t parse inline keyboard button: Field "callback_data" must be of type String',
  ],
  [
    'an empty label',
    button({ text: ' ', callback_data: 'y' }),
    'inline keyboard button text must be non-empty',
  ],
  [
    'no label',
    [[{ callback_data: 'y' }]],
    'can\'t parse inline keyboard button: Can\'t find field "text"',
  ],
  [
    'a row that is none',
    [{ text: 'x' }],
    'field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays',
  ],
  ['nine in a row', [row(9)], 'reply markup is too long'],
  ['101 in all', [...Array.from({ length: 20 }, () => row(5)), row(1)], 'reply markup is too long'],
  [
    'a link to nowhere',
    button({ url: 'nowhere' }),
    "inline keyboard button URL 'nowhere' is invalid: Wrong HTTP URL",
  ],
  [
    '257 characters to copy',
    button({ copy_text: { text: 'x'.repeat(257) } }),
    'BUTTON_COPY_TEXT_INVALID',
  ],
])('a keyboard with %s is refused', async (_what, inline_keyboard, words) => {
  await using at = await setUp()
  const refused = await at.call('sendMessage', { chat_id, text, reply_markup: { inline_keyboard } })
  expect(refused.description).toBe(`Bad Request: ${words}`)
  expect(at.chat.messages()).toEqual([])
})

test('what is just within the limits is taken', async () => {
  await using at = await setUp()
  const { api, chat } = at
  await api.sendMessage(42, `<b>${'😀'.repeat(2048)}</b>`, { parse_mode: 'HTML' })
  await api.sendMessage(42, 'x', {
    reply_markup: {
      inline_keyboard: [
        [{ text: 'x', callback_data: 'y'.repeat(64) }],
        ...Array.from({ length: 12 }, () => row(8)),
        row(3),
      ],
    },
  })
  await api.sendMessage(42, 'x', {
    reply_parameters: { message_id: 99, allow_sending_without_reply: true },
  })
  await api.sendDocument(42, new InputFile(new Uint8Array(1), 'a'), { caption: 'x'.repeat(1024) })
  await api.setMyCommands(
    Array.from({ length: 100 }, (_, i) => ({ command: `c_${i}`, description: 'x' })),
  )
  expect(chat.messages().map((message) => message.text.length)).toEqual([4096, 1, 1, 1024])
  expect(at.telegram.commands()).toHaveLength(100)
})

test('edits: unchanged ones, those of others, and those of deleted messages are refused', async () => {
  await using at = await setUp()
  const { api, chat, ada } = at
  const keyboard = { inline_keyboard: [[{ text: 'x', callback_data: 'y' }]] }
  const { message_id } = await api.sendMessage(42, '<b>x</b>', {
    parse_mode: 'HTML',
    reply_markup: keyboard,
  })
  const unchanged =
    'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message'
  const same = { parse_mode: 'HTML', reply_markup: keyboard } as const
  await expect(
    api.editMessageText(42, message_id, '<strong>x</strong>', same),
  ).rejects.toMatchObject({
    error_code: 400,
    description: unchanged,
  })
  await api.editMessageReplyMarkup(42, message_id)
  await expect(api.editMessageReplyMarkup(42, message_id)).rejects.toMatchObject({
    description: unchanged,
  })
  await expect(api.editMessageText(42, message_id, 'x'.repeat(4097))).rejects.toMatchObject({
    description: 'Bad Request: MESSAGE_TOO_LONG',
  })
  await api.editMessageText(42, message_id, 'plain')
  const hers = chat.send(ada, 'mine')
  await expect(api.editMessageText(42, hers.message_id, 'yours')).rejects.toMatchObject({
    description: "Bad Request: message can't be edited",
  })
  await api.deleteMessage(42, message_id)
  await expect(api.editMessageText(42, message_id, 'late')).rejects.toMatchObject({
    description: 'Bad Request: message to edit not found',
  })
  expect(chat.history.map(({ kind, message }) => [kind, message.text])).toEqual([
    ['send', 'x'],
    ['edit', 'x'],
    ['edit', 'plain'],
    ['send', 'mine'],
    ['delete', 'plain'],
  ])
})

test('an edit without a keyboard takes the keyboard away', async () => {
  await using at = await setUp()
  const { message_id } = await at.api.sendMessage(42, 'x', {
    reply_markup: { inline_keyboard: [[{ text: 'x', callback_data: 'y' }]] },
  })
  await at.api.editMessageText(42, message_id, 'y')
  expect(at.chat.messages()[0]).toMatchObject({ text: 'y', buttons: [], edits: 1 })
})

test('a document keeps its kind: its text cannot be edited, its caption can', async () => {
  await using at = await setUp()
  const { api } = at
  await expect(api.sendDocument(42, new InputFile(new Uint8Array(), 'a'))).rejects.toMatchObject({
    description: 'Bad Request: file must be non-empty',
  })
  const file = new InputFile(new TextEncoder().encode('x'), 'a.txt')
  await expect(api.sendDocument(42, file, { caption: 'x'.repeat(1025) })).rejects.toMatchObject({
    description: 'Bad Request: message caption is too long',
  })
  const sent = await api.sendDocument(42, new InputFile(new TextEncoder().encode('x'), 'a.txt'))
  await expect(api.editMessageText(42, sent.message_id, 'x')).rejects.toMatchObject({
    description: 'Bad Request: there is no text in the message to edit',
  })
  await api.editMessageCaption(42, sent.message_id, { caption: 'words' })
  expect(at.chat.messages()[0]).toMatchObject({ text: 'words', document: { name: 'a.txt' } })
})

test('a tap is answered once, in time, in at most 200 characters', async () => {
  let now = 1_800_000_000_000
  await using at = await setUp({ now: () => now })
  const { api, ada, chat } = at
  const { message_id } = await api.sendMessage(42, 'x', {
    reply_markup: { inline_keyboard: [[{ text: 'x', callback_data: 'y' }]] },
  })
  const tooOld = {
    error_code: 400,
    description:
      'Bad Request: query is too old and response timeout expired or query ID is invalid',
  }
  const tap = chat.tap(ada, message_id, 0)
  await expect(api.answerCallbackQuery(tap.id, { text: 'x'.repeat(201) })).rejects.toMatchObject({
    description: 'Bad Request: MESSAGE_TOO_LONG',
  })
  await api.answerCallbackQuery(tap.id, { text: 'x'.repeat(200) })
  await expect(api.answerCallbackQuery(tap.id)).rejects.toMatchObject(tooOld)
  const late = chat.tap(ada, message_id, 'x')
  now += 60_001
  await expect(api.answerCallbackQuery(late.id)).rejects.toMatchObject(tooOld)
  expect(late.answer).toBeUndefined()
})

const forbidden: readonly (readonly [string, (at: SetUp) => number, string])[] = [
  [
    'who blocked it',
    ({ chat }) => {
      chat.block()
      return chat.id
    },
    'bot was blocked by the user',
  ],
  [
    'who never wrote to it',
    ({ telegram }) => telegram.addUser({ id: 43, first_name: 'Bob' }).id,
    "bot can't initiate conversation with a user",
  ],
  [
    'in a group that threw it out',
    ({ telegram, ada }) => {
      const group = telegram.group({ id: -1007, title: 'G', members: [ada] })
      group.kick()
      return group.id
    },
    'bot was kicked from the supergroup chat',
  ],
]

test.each(forbidden)('a bot may not write to somebody %s', async (_who, make, words) => {
  await using at = await setUp()
  const id = make(at)
  for (const call of [at.api.sendMessage(id, 'x'), at.api.sendChatAction(id, 'typing')]) {
    await expect(call).rejects.toMatchObject({
      error_code: 403,
      description: `Forbidden: ${words}`,
    })
  }
})

test('a bot that may not write in a group is told so', async () => {
  await using at = await setUp()
  const group = at.telegram.group({ id: -1007, title: 'G', members: [at.ada] })
  group.mute()
  await expect(at.api.sendMessage(-1007, 'x')).rejects.toMatchObject({
    description: 'Bad Request: not enough rights to send text messages to the chat',
  })
  const hers = group.send(at.ada, 'mine')
  await expect(at.api.deleteMessage(-1007, hers.message_id)).rejects.toMatchObject({
    description: "Bad Request: message can't be deleted",
  })
  group.promote()
  await at.api.deleteMessage(-1007, hers.message_id)
  expect(group.messages()).toEqual([])
})

test('unknown tokens, methods and places have their own answers', async () => {
  await using at = await setUp({ lacks: ['rich_messages'] })
  const { telegram } = at
  const answerAt = async (path: string) => {
    const response = await fetch(`${telegram.url}${path}`)
    const body = (await response.json()) as { description: string }
    return [response.status, body.description]
  }
  expect(await answerAt('/bot1:wrong/getMe')).toEqual([401, 'Unauthorized'])
  expect(await answerAt('/file/bot1:wrong/x')).toEqual([401, 'Unauthorized'])
  expect(await answerAt('/botnonsense/getMe')).toEqual([404, 'Not Found'])
  expect(await answerAt('/')).toEqual([404, 'Not Found'])
  expect(await answerAt(`/file/bot${telegram.token}/no/file`)).toEqual([404, 'Not Found'])
  for (const method of [
    'sendRichMessage',
    'sendMessageDraft',
    'sendRichMessageDraft',
    'constructor',
  ]) {
    expect(await answerAt(`/bot${telegram.token}/${method}`)).toEqual([
      404,
      'Not Found: method not found',
    ])
  }
  expect(await answerAt(`/bot${telegram.token}/GETME`)).toEqual([200, undefined])
})

test('parameters come in the query, as a form, as multipart and as JSON', async () => {
  await using at = await setUp()
  const url = `${at.telegram.url}/bot${at.telegram.token}/sendMessage`
  const reply_markup = JSON.stringify({ inline_keyboard: row(1).map((each) => [each]) })
  const fields = { chat_id: '42', text: 'x', reply_markup, disable_notification: 'true' }
  const multipart = new FormData()
  for (const [name, value] of Object.entries(fields)) multipart.set(name, value)
  const answers = [
    await fetch(`${url}?${new URLSearchParams(fields)}`),
    await fetch(url, { method: 'POST', body: new URLSearchParams(fields) }),
    await fetch(url, { method: 'POST', body: multipart }),
    await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(at.chat.messages().map(({ buttons }) => buttons.length)).toEqual([1, 1, 1, 1])
  for (const body of ['[]', '{']) {
    const refused = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(refused.status).toBe(400)
  }
})

test('TG-06 a server from before Bot API 7.11 takes a button that copies for one of words alone', async () => {
  await using at = await setUp({ lacks: ['copy_text'] })
  const keyboard = { inline_keyboard: [[{ text: 'Copy', copy_text: { text: 'x' } }]] }
  const answer = await at.call('sendMessage', { chat_id, text, reply_markup: keyboard })
  expect(answer).toMatchObject({
    error_code: 400,
    description:
      "Bad Request: can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
  })
})
