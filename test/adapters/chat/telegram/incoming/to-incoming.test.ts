import { describe, expect, test } from 'vitest'
import { toIncoming } from '../../../../../src/adapters/chat/telegram/incoming/to-incoming.ts'
import {
  ada,
  adasChat,
  entity,
  group,
  groupMessage,
  me,
  ourBot,
  privateMessage,
  stopped,
  tap,
} from './updates.ts'

/** What the update makes somebody do, or why nothing. */
function read(update: unknown) {
  const found = toIncoming(update, me)
  return found.kind === 'incoming' ? found.incoming : `${found.kind}: ${found.why}`
}

function wordsOf(update: unknown) {
  const found = toIncoming(update, me)
  if (found.kind !== 'incoming') return found
  return found.incoming.act.kind === 'message' ? found.incoming.act.text : found.incoming.act
}

describe('a message', () => {
  test('TG-01 in private becomes a message of its author, identified by the update', () => {
    expect(toIncoming(privateMessage(501, 'hello'), me)).toEqual({
      kind: 'incoming',
      updateId: 501,
      incoming: {
        platform: 'telegram',
        externalId: `${me.id}:501`,
        place: '42',
        isPrivate: true,
        from: { id: 'telegram:42', name: 'Ada Lovelace', username: 'ada', privatePlace: '42' },
        act: { kind: 'message', text: 'hello' },
      },
    })
  })

  test('TG-01 updates of two bots with the same number are different', () => {
    const keyOf = (bot: number, update: unknown) => {
      const found = toIncoming(update, { ...me, id: bot })
      return found.kind === 'incoming' && found.incoming.externalId
    }
    expect(keyOf(1, privateMessage(501, 'hello'))).toBe('1:501')
    expect(keyOf(2, privateMessage(501, 'hello'))).toBe('2:501')
    expect(keyOf(2, tap(501))).toBe('2:501')
  })

  test.each([
    ['photo', [{ file_id: 'x' }], { name: 'photo-2027-01-15-080000.jpg', mediaType: 'image/jpeg' }],
    ['voice', { file_id: 'x' }, { name: 'voice-2027-01-15-080000.ogg' }],
    [
      'document',
      { file_id: 'x', file_name: 'a.pdf', mime_type: 'application/pdf', file_size: 7 },
      { name: 'a.pdf', mediaType: 'application/pdf', bytes: 7 },
    ],
    ['document', { file_id: 'x' }, { name: 'document-2027-01-15-080000' }],
    ['audio', { file_id: 'x', file_name: 'a.flac' }, { name: 'a.flac' }],
    ['video', { file_id: 'x' }, { name: 'video-2027-01-15-080000.mp4' }],
    ['video_note', { file_id: 'x' }, { name: 'video-note-2027-01-15-080000.mp4' }],
    ['animation', { file_id: 'x' }, { name: 'animation-2027-01-15-080000.mp4' }],
  ])('CHAT-07 a %s is handed over by its id, with its caption as the words', (kind, file, told) => {
    const act = (fields: object) =>
      read(privateMessage(1, '', { text: undefined, date: 1_800_000_000, ...fields }))
    const files = [{ ...told, reference: 'x' }]
    expect(act({ [kind]: file })).toMatchObject({ act: { kind: 'message', text: '', files } })
    expect(act({ [kind]: file, caption: 'what is this?', media_group_id: '7' })).toMatchObject({
      act: { kind: 'message', text: 'what is this?', files, album: '7' },
    })
  })

  test('CHAT-07 the largest size of a photo is taken', () => {
    const photo = [
      { file_id: 'small', width: 90, height: 60, file_size: 9 },
      { file_id: 'large', width: 900, height: 600, file_size: 900 },
      { file_id: 'middle', width: 300, height: 200, file_size: 90 },
    ]
    expect(read(privateMessage(1, '', { text: undefined, date: undefined, photo }))).toMatchObject({
      act: { files: [{ reference: 'large', bytes: 900, name: 'photo-undated.jpg' }] },
    })
  })

  test.each([
    ['sticker', { file_id: 'x', emoji: '👍' }],
    ['story', {}],
    ['paid_media', { star_count: 1 }],
    ['document', { file_name: 'without an id' }],
    ['photo', []],
  ])('CHAT-07 a %s is told of as not read, with its caption as the words', (kind, file) => {
    const act = (fields: object) => read(privateMessage(1, '', { text: undefined, ...fields }))
    expect(act({ [kind]: file })).toMatchObject({
      act: { kind: 'message', text: '', unread: 'file' },
    })
    expect(act({ [kind]: file, caption: 'what is this?' })).toMatchObject({
      act: { kind: 'message', text: 'what is this?', unread: 'file' },
    })
    expect(act({ caption: 'what is this?' })).not.toHaveProperty('act.unread')
  })

  test('CHAT-07 a message with neither text nor file is ignored', () => {
    const poll = { text: undefined, poll: { id: '1', question: 'Tea?' } }
    expect(read(privateMessage(1, '', poll))).toBe('ignored: no words')
  })

  test('TG-01 anything but a new message of a person is ignored', () => {
    const { message } = privateMessage(1, 'hello')
    for (const kind of [
      'edited_message',
      'channel_post',
      'my_chat_member',
      'poll',
      'of_tomorrow',
    ]) {
      expect(read({ update_id: 1, [kind]: message })).toBe('ignored: an update of another kind')
    }
    const joined = { text: undefined, new_chat_members: [ada] }
    expect(read(groupMessage(1, '', joined))).toBe('ignored: no words')
    const channel = { id: -100_5, type: 'channel', title: 'News' }
    expect(read(privateMessage(1, 'hello', { chat: channel }))).toBe('ignored: a post in a channel')
  })

  test('REL-02 an invalid update is malformed; the reason names the field without its content', () => {
    const { message } = privateMessage(1, 'a secret')
    expect(toIncoming({ update_id: 9, message: { ...message, chat: 'a secret' } }, me)).toEqual({
      kind: 'malformed',
      updateId: 9,
      why: 'message.chat: invalid_type',
    })
    for (const update of [undefined, null, [], 'x', {}, { update_id: '1' }, { update_id: 1.5 }]) {
      expect(toIncoming(update, me)).toMatchObject({ kind: 'malformed' })
      expect(toIncoming(update, me)).not.toHaveProperty('updateId')
    }
  })

  test('REL-02 text is cut at 200,000 characters and can be stored', () => {
    expect(wordsOf(privateMessage(1, 'x'.repeat(300_000)))).toHaveLength(200_000)
    expect(wordsOf(privateMessage(1, 'a\0b\ud800c'))).toBe('a\ufffdb\ufffdc')
  })

  test('TG-04 a forum topic is a conversation of its own, a thread of replies is not', () => {
    const topic = { message_thread_id: 77, is_topic_message: true }
    const place = (fields: object) =>
      Reflect.get(Object(read(groupMessage(1, '/go', { ...go, ...fields }))), 'place')
    const go = { entities: [{ type: 'bot_command', offset: 0, length: 3 }] }
    expect(place(topic)).toBe('-100123/77')
    expect(place({ message_thread_id: 77 })).toBe('-100123')
    expect(place({})).toBe('-100123')
    expect(read(privateMessage(1, 'hello', topic))).toMatchObject({
      place: '42/77',
      isPrivate: true,
    })
  })
})

describe('in groups', () => {
  const mentioning = (text: string, part: string) =>
    groupMessage(1, text, { entities: [entity('mention', text, part)] })
  const commanding = (text: string, part: string) =>
    groupMessage(1, text, { entities: [entity('bot_command', text, part)] })
  const replying = (to: object, text = 'yes') => groupMessage(1, text, { reply_to_message: to })

  test('TG-04 a message not addressed to the bot is ignored', () => {
    expect(read(groupMessage(1, 'hello all'))).toBe('ignored: not addressed to the bot')
    expect(read(mentioning('ask @otherbot', '@otherbot'))).toBe('ignored: not addressed to the bot')
    // Written, but not marked as a mention: inside code, say.
    expect(read(groupMessage(1, 'write @OurTestBot here'))).toBe(
      'ignored: not addressed to the bot',
    )
    const longer = '@OurTestBotter hello'
    expect(read(mentioning(longer, '@OurTestBotter'))).toBe('ignored: not addressed to the bot')
  })

  test.each([
    ['@OurTestBot run it', 'run it'],
    ['@ourtestbot, run it', 'run it'],
    ['run it, @OURTESTBOT', 'run it,'],
    ['please @OurTestBot run it', 'please run it'],
    ['👩‍👩‍👧 @OurTestBot run 👍', '👩‍👩‍👧 run 👍'],
  ])('TG-04 a mention addresses it and is taken out: %s', (text, words) => {
    const [name = ''] = /@ourtestbot/iu.exec(text) ?? []
    expect(wordsOf(mentioning(text, name))).toBe(words)
  })

  test('TG-04 a mention by id addresses the bot, another one does not', () => {
    const text = 'Our bot run it'
    const by = (user: object) =>
      groupMessage(1, text, { entities: [entity('text_mention', text, 'Our bot', { user })] })
    expect(wordsOf(by(ourBot))).toBe('run it')
    expect(read(by(ada))).toBe('ignored: not addressed to the bot')
  })

  test("TG-04 a mention in a caption counts, and the caption's own entities are used", () => {
    const caption = 'see @OurTestBot this'
    const fields = { text: undefined, caption, photo: [] }
    const marks = [entity('mention', caption, '@OurTestBot')]
    expect(wordsOf(groupMessage(1, '', { ...fields, caption_entities: marks }))).toBe('see this')
    expect(read(groupMessage(1, '', { ...fields, entities: marks }))).toContain('ignored')
  })

  test('CHAT-07 TG-04 a file counts if it replies to the bot or its caption mentions it', () => {
    const photo = { text: undefined, photo: [{ file_id: 'x' }] }
    const reply_to_message = { message_id: 5, from: ourBot }
    const caption = '@OurTestBot'
    const caption_entities = [entity('mention', caption, caption)]
    const alone = { kind: 'message', text: '', files: [{ reference: 'x' }] }
    expect(read(groupMessage(1, '', photo))).toBe('ignored: not addressed to the bot')
    expect(read(groupMessage(1, '', { ...photo, reply_to_message }))).toMatchObject({
      act: { ...alone, replyTo: '5' },
    })
    expect(read(groupMessage(1, '', { ...photo, caption, caption_entities }))).toMatchObject({
      act: alone,
    })
  })

  test('TG-04 a mention without further text is ignored', () => {
    expect(read(mentioning('@OurTestBot', '@OurTestBot'))).toBe('ignored: no words')
  })

  test('TG-04 a reply to the bot is addressed to it, and names the message', () => {
    expect(read(replying({ message_id: 5, from: ourBot }))).toMatchObject({
      act: { kind: 'message', text: 'yes', replyTo: '5' },
    })
    expect(read(replying({ message_id: 5, from: ada }))).toBe('ignored: not addressed to the bot')
    expect(read(replying({ message_id: 5 }))).toBe('ignored: not addressed to the bot')
  })

  test('TG-04 in a topic created by the bot, not every message is a reply to it', () => {
    const made = { message_id: 5, from: ourBot, forum_topic_created: { name: 'Builds' } }
    expect(read(replying(made))).toBe('ignored: not addressed to the bot')
  })

  test('TG-04 a command is addressed to the bot unless it names another one', () => {
    expect(wordsOf(commanding('/clear', '/clear'))).toBe('/clear')
    expect(wordsOf(commanding('/clear@ourTESTbot', '/clear@ourTESTbot'))).toBe('/clear')
    expect(wordsOf(commanding('/deny@OurTestBot not now', '/deny@OurTestBot'))).toBe(
      '/deny not now',
    )
    expect(read(commanding('/clear@otherbot', '/clear@otherbot'))).toBe(
      'ignored: a command for another bot',
    )
    expect(read(commanding('see /clear', '/clear'))).toBe('ignored: not addressed to the bot')
  })

  test('TG-04 a command for another bot stays one, even as a reply to ours', () => {
    const update = commanding('/clear@otherbot', '/clear@otherbot')
    const reply_to_message = { message_id: 5, from: ourBot }
    expect(read({ ...update, message: { ...update.message, reply_to_message } })).toBe(
      'ignored: a command for another bot',
    )
  })

  test('TG-04 in private every message is addressed to the bot, and stays unchanged', () => {
    const text = '@OurTestBot hello @OurTestBot'
    const marks = { entities: [entity('mention', text, '@OurTestBot')] }
    expect(wordsOf(privateMessage(1, text, marks))).toBe(text)
    const command = { entities: [entity('bot_command', '/clear@OurTestBot', '/clear@OurTestBot')] }
    expect(wordsOf(privateMessage(1, '/clear@OurTestBot', command))).toBe('/clear')
    expect(
      read(privateMessage(1, 'yes', { reply_to_message: { message_id: 5, from: ourBot } })),
    ).toMatchObject({
      act: { replyTo: '5' },
    })
  })
})

describe('a tap', () => {
  test('TG-01 has its token, its message, and the id to answer it', () => {
    expect(toIncoming(tap(7), me)).toEqual({
      kind: 'incoming',
      updateId: 7,
      callbackId: 'callback-7',
      incoming: {
        platform: 'telegram',
        externalId: `${me.id}:7`,
        place: '42',
        isPrivate: true,
        from: { id: 'telegram:42', name: 'Ada Lovelace', username: 'ada', privatePlace: '42' },
        act: { kind: 'tap', token: 'AAAAAAAAAAAAAAAAAAAAAA', messageId: '11' },
      },
    })
  })

  test('THREAT-8 tells whether its button is below the message it names', () => {
    const below = (...data: string[]) => {
      const buttons = data.map((callback_data) => ({ text: 'Approve', callback_data }))
      const reply_markup = { inline_keyboard: [[{ text: 'Copy' }], buttons] }
      const message = { message_id: 11, date: 1, chat: adasChat, from: ourBot, reply_markup }
      return read(tap(7, { message }))
    }
    expect(below('BBBB', 'AAAAAAAAAAAAAAAAAAAAAA')).toMatchObject({ act: { isThere: true } })
    expect(below('BBBB')).toMatchObject({ act: { isThere: false } })
    expect(below()).toMatchObject({ act: { isThere: false } })
  })

  test('TG-04 in a topic belongs to the topic, and below an inaccessible message to the chat', () => {
    const inTopic = {
      message_id: 11,
      date: 1,
      chat: group,
      message_thread_id: 77,
      is_topic_message: true,
    }
    expect(read(tap(7, { message: inTopic }))).toMatchObject({
      place: '-100123/77',
      isPrivate: false,
    })
    const outOfReach = { message_id: 11, date: 0, chat: group }
    expect(read(tap(7, { message: outOfReach }))).toMatchObject({ place: '-100123' })
  })

  test.each([
    ['below an inline message', { message: undefined, inline_message_id: 'x' }],
    ['of a game, without data', { data: undefined, game_short_name: 'chess' }],
    ['with too much data', { data: 'é'.repeat(33) }],
    ['from a bot', { from: ourBot }],
    ['from the account that stands for anonymous admins', { from: { ...ada, id: 1_087_968_824 } }],
  ])('TG-02 %s is ignored, and answered all the same', (_, fields) => {
    expect(toIncoming(tap(7, fields), me)).toMatchObject({
      kind: 'ignored',
      callbackId: 'callback-7',
    })
  })
})

describe('a stranger', () => {
  test.each([
    ['an anonymous admin', { from: { ...ada, id: 1_087_968_824, is_bot: true } }],
    ['an anonymous admin that is not marked as a bot', { from: { ...ada, id: 1_087_968_824 } }],
    ['a channel', { sender_chat: { id: -1005, type: 'channel', title: 'News' } }],
    ['the group itself', { sender_chat: group }],
    ['a chat that is null', { sender_chat: null }],
    ['another bot', { from: { ...ada, is_bot: true } }],
    ['a message by way of a bot', { via_bot: ourBot }],
    ['a bot for a business', { sender_business_bot: ourBot }],
    ['a linked channel', { from: { ...ada, id: 777_000, first_name: 'Telegram' } }],
    ['an automatic forward', { is_automatic_forward: true }],
    ['nobody', { from: undefined }],
  ])('THREAT-7 CHAT-01 is always %s, also in private, mentioned or commanding', (_, fields) => {
    const entities = [{ type: 'bot_command', offset: 0, length: 3 }]
    expect(read(privateMessage(1, '/go', fields))).toMatch(/^ignored: /)
    expect(read(groupMessage(1, '/go', { entities, ...fields }))).toMatch(/^ignored: /)
    expect(read(groupMessage(1, '/go', { entities }))).toMatchObject({ act: { text: '/go' } })
  })
})

describe('a name', () => {
  const nameOf = (fields: object) => {
    const found = read(privateMessage(1, 'hi', { from: { ...ada, ...fields } }))
    return typeof found === 'string' ? found : found.from.name
  }

  test('CHAT-01 is the first and last name, otherwise the username, otherwise the id', () => {
    expect(nameOf({ last_name: undefined })).toBe('Ada')
    expect(nameOf({ first_name: '\u200b', last_name: undefined })).toBe('ada')
    expect(nameOf({ first_name: ' ', last_name: '', username: undefined })).toBe('telegram:42')
  })

  test('CHAT-05 is one printable line of at most 64 characters, not splitting any', () => {
    expect(nameOf({ first_name: 'A\nd\u202ea\u001b[31m', last_name: '❯ ok' })).toBe('A da | ok')
    expect(nameOf({ first_name: 'x'.repeat(500) })).toBe('x'.repeat(64))
    expect(nameOf({ first_name: `${'x'.repeat(63)}👍` })).toBe('x'.repeat(63))
  })

  test('THREAT-7 an invalid username is dropped', () => {
    const odd = read(privateMessage(1, 'hi', { from: { ...ada, username: 'ada lovelace' } }))
    expect(odd).toMatchObject({ from: { id: 'telegram:42' } })
    expect(Reflect.get(Object(odd), 'from')).not.toHaveProperty('username')
  })

  test("TG-04 a person's identity does not depend on the chat", () => {
    expect(read(privateMessage(1, 'hi', { chat: { ...adasChat, id: 99 } }))).toMatchObject({
      place: '99',
      from: { id: 'telegram:42' },
    })
  })
})

describe('TG-06 LOOP-14 Stop below a draft', () => {
  test('is of the person whose chat it is, and of the turn that the draft was of', () => {
    expect(toIncoming(stopped(9), me)).toEqual({
      kind: 'incoming',
      updateId: 9,
      incoming: {
        platform: 'telegram',
        externalId: `${me.id}:9`,
        place: '42',
        isPrivate: true,
        from: { id: 'telegram:42', name: 'Ada', username: 'ada', privatePlace: '42' },
        act: { kind: 'stop', turnNumber: 77 },
      },
    })
    expect(read(stopped(9, { message_thread_id: 5 }))).toMatchObject({ place: '42/5' })
  })

  test.each([
    ['in a group, where there are no drafts', { chat: group }],
    ['of no draft', { draft_id: 0 }],
    ['of a draft without a number', { draft_id: undefined }],
    ['in no chat', { chat: undefined }],
  ])('that is %s is nothing', (_, fields) => {
    expect(read(stopped(9, fields))).toMatch(/^malformed: /)
  })
})
