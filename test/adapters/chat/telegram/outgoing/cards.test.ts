import { describe, expect, test } from 'vitest'
import type { Card, CardStatus } from '../../../../../src/domain/approval.ts'
import type { Outgoing } from '../../../../../src/ports/chat.ts'
import { sha256 } from '../../../../../src/util/digest.ts'
import { aCard } from '../../console/cards.ts'
import { aContext, openOutgoing } from './outgoing-place.ts'

const bytes = Buffer.from('rm -rf build\n'.repeat(500))
const file = {
  id: 'attachment',
  name: 'question 3; "x".txt',
  bytes: bytes.length,
  lines: 500,
  sha256: sha256(bytes),
}

function card(changes: Partial<Card> = {}): Outgoing {
  return { kind: 'card', card: aCard(changes) }
}

function update(status: CardStatus, changes: Partial<Card> = {}): Outgoing {
  return { kind: 'card_update', card: aCard({ status, ...changes }) }
}

const by = { by: 'Ada', at: '2026-11-21T12:03:00Z' }

test('CARD-03 TG-02 APPR-15 a card has two rows of buttons, each with its own token; the choices of Always take their place', async () => {
  await using out = await openOutgoing()
  const context = aContext()
  const sent = await out.platform.deliver(
    '42',
    card({ alwaysPatterns: ['git log *', 'wc *'] }),
    context,
  )
  expect(sent).toEqual({ kind: 'sent', messageId: '1' })
  const [message] = out.chat.messages()
  expect(message?.text).toContain('rm -rf build')
  expect(message?.buttons).toMatchObject([
    [
      { text: 'Approve', callback_data: context.tokens[0] },
      { text: 'Always…', callback_data: context.tokens[1] },
      { text: 'Deny', callback_data: context.tokens[2] },
    ],
    [{ text: 'Edit', callback_data: context.tokens[3] }],
  ])
  expect(context.parts).toEqual([])
  const open = update(
    { kind: 'waiting' },
    { alwaysPatterns: ['git log *', 'wc *'], open: 'choice' },
  )
  await out.platform.deliver('42', open, { ...context, editOf: '1' })
  const [shown] = out.chat.messages()
  expect(shown?.text).toContain('Always would allow\n• git log *\n• wc *\n')
  expect(shown?.buttons.map((row) => row.map(({ text }) => text))).toEqual([
    ['15 min', '1 h', '5 times'],
    ['Always', '‹ Back', 'This turn'],
    ['Edit'],
  ])
})

test('APPR-03 a card without patterns does not offer Always', async () => {
  await using out = await openOutgoing()
  await out.platform.deliver('42', card({ alwaysPatterns: [] }), aContext())
  const labels = out.chat.messages()[0]?.buttons[0]?.map(({ text }) => text)
  expect(labels).toEqual(['Approve', 'Deny'])
})

test('INT-16 every message and every edit has tokens of its own', async () => {
  await using out = await openOutgoing()
  const context = aContext()
  await out.platform.deliver('42', card(), context)
  await out.platform.deliver('42', card(), context)
  const edit = update({ kind: 'waiting' }, { messagesKept: 1 })
  await out.platform.deliver('42', edit, { ...context, editOf: '1' })
  const shown = out.telegram.calls.flatMap(({ params }) => tokensIn(params['reply_markup']))
  expect(shown).toHaveLength(15)
  expect(new Set(shown).size).toBe(15)
  expect(shown).toEqual(context.tokens)
})

function tokensIn(markup: unknown): string[] {
  return [...JSON.stringify(markup).matchAll(/"callback_data":"([^"]+)"/g)].map(
    ([, token]) => token ?? '',
  )
}

describe('APPR-05 after a decision the card shows it and its buttons are removed', () => {
  const outcomes: readonly CardStatus[] = [
    { kind: 'approved', ...by, always: false },
    { kind: 'granted' },
    { kind: 'denied', ...by, reason: 'not today' },
    { kind: 'expired', at: by.at },
    { kind: 'cancelled', why: 'stopped', by: 'Ada' },
    { kind: 'running', ...by },
    { kind: 'finished', ...by, outcome: 'exit 0', isSuccess: true, durationMs: 1_200 },
  ]

  test.each(outcomes)('$kind', async (status) => {
    await using out = await openOutgoing()
    await out.platform.deliver('42', card(), aContext())
    const context = aContext({ editOf: '1' })
    const sent = await out.platform.deliver('42', update(status), context)
    expect(sent).toEqual({ kind: 'sent', messageId: '1' })
    const [message] = out.chat.messages()
    expect(message?.buttons).toEqual([])
    expect(message?.edits).toBe(1)
    expect(context.tokens).toEqual([])
  })

  test('TG-03 a denial without a reason yet has the button that ends the wait', async () => {
    await using out = await openOutgoing()
    await out.platform.deliver('42', card(), aContext())
    const status = { kind: 'denying', ...by, until: '2026-11-21T12:08:00Z' } as const
    await out.platform.deliver('42', update(status), aContext({ editOf: '1' }))
    const labels = out.chat.messages()[0]?.buttons[0]?.map(({ text }) => text)
    expect(labels).toEqual(['Just deny'])
  })

  test('an edit without changes succeeds', async () => {
    await using out = await openOutgoing()
    await out.platform.deliver('42', card(), aContext())
    const context = aContext({ editOf: '1' })
    await out.platform.deliver('42', update({ kind: 'granted' }), context)
    const again = await out.platform.deliver('42', update({ kind: 'granted' }), context)
    expect(again).toEqual({ kind: 'sent', messageId: '1' })
  })

  test('CHAT-06 edits of a deleted card are refused permanently', async () => {
    await using out = await openOutgoing()
    await out.platform.deliver('42', card(), aContext())
    out.chat.delete(1)
    const gone = await out.platform.deliver(
      '42',
      update({ kind: 'granted' }),
      aContext({ editOf: '1' }),
    )
    expect(gone).toEqual({ kind: 'refused', why: 'the message to edit is gone', isGone: true })
  })

  test('INT-18 an update without a message id is refused', async () => {
    await using out = await openOutgoing()
    const refused = await out.platform.deliver('42', update({ kind: 'granted' }), aContext())
    expect(refused).toMatchObject({ kind: 'refused' })
  })
})

describe('APPR-02 text that does not fit is sent as a file', () => {
  const readAttachment = async () => bytes

  test('before the card, with its title and digest', async () => {
    await using out = await openOutgoing()
    const context = aContext({ readAttachment })
    const sent = await out.platform.deliver('42', card({ file }), context)
    expect(sent).toEqual({ kind: 'sent', messageId: '2' })
    expect(context.parts).toEqual(['1'])
    const [document, question] = out.chat.messages()
    expect(document?.document?.name).toBe('question_3_x_.txt')
    expect(Buffer.from(document?.document?.bytes ?? []).equals(bytes)).toBe(true)
    expect(document?.text).toContain('Approval 3')
    expect(document?.text).toContain(file.sha256)
    expect(document?.buttons).toEqual([])
    expect(question?.buttons[0]).toHaveLength(3)
  })

  test('CHAT-06 and not sent twice if the card itself has to wait', async () => {
    await using out = await openOutgoing()
    out.telegram.failNext('sendMessage', { kind: 'status', code: 502 })
    const context = aContext({ readAttachment })
    const first = await out.platform.deliver('42', card({ file }), context)
    expect(first).toMatchObject({ kind: 'unreachable' })
    const again = { ...context, sentParts: [...context.parts] }
    const second = await out.platform.deliver('42', card({ file }), again)
    expect(second).toEqual({ kind: 'sent', messageId: '2' })
    expect(out.telegram.callsOf('sendDocument')).toHaveLength(1)
  })

  test('APPR-16 and without it there is no card', async () => {
    await using out = await openOutgoing()
    const description = 'Bad Request: not enough rights to send documents to the chat'
    out.telegram.failNext('sendDocument', { kind: 'status', code: 400, description })
    const sent = await out.platform.deliver('42', card({ file }), aContext({ readAttachment }))
    expect(sent).toEqual({ kind: 'refused', why: 'the bot has no right to send there' })
    expect(out.chat.messages()).toEqual([])
  })

  test("APPR-16 nor with a file that differs from the card's digest", async () => {
    await using out = await openOutgoing()
    const context = aContext({ readAttachment: async () => Buffer.from('something else') })
    await expect(out.platform.deliver('42', card({ file }), context)).rejects.toThrow('not what')
    expect(out.chat.messages()).toEqual([])
  })

  test('and later states of the card still refer to it', async () => {
    await using out = await openOutgoing()
    await out.platform.deliver('42', card({ file }), aContext({ readAttachment }))
    const edit = update({ kind: 'granted' }, { file })
    await out.platform.deliver('42', edit, aContext({ editOf: '2' }))
    expect(out.chat.messages()[1]?.text).toContain(file.sha256.slice(0, 16))
  })
})

describe('APPR-16 a card that is not shown completely', () => {
  test('cannot be approved, and says so', async () => {
    await using out = await openOutgoing()
    const sent = await out.platform.deliver('42', card({ what: 'x'.repeat(9_000) }), aContext())
    expect(sent).toEqual({ kind: 'sent', messageId: '1', isCut: true })
    const [message] = out.chat.messages()
    expect(message?.buttons[0]?.map(({ text }) => text)).toEqual(['Deny'])
    expect(message?.text).toContain('it can only be denied here')
    const edit = update({ kind: 'waiting' }, { what: 'x'.repeat(9_000), messagesKept: 1 })
    const edited = await out.platform.deliver('42', edit, aContext({ editOf: '1' }))
    expect(edited).toEqual({ kind: 'sent', messageId: '1', isCut: true })
    const whole = update({ kind: 'waiting' }, { messagesKept: 1 })
    const again = await out.platform.deliver('42', whole, aContext({ editOf: '1' }))
    expect(again).toEqual({ kind: 'sent', messageId: '1' })
  })

  test('can be approved if the file before it is complete', async () => {
    await using out = await openOutgoing()
    const context = aContext({ readAttachment: async () => bytes })
    const sent = await out.platform.deliver('42', card({ what: 'x'.repeat(9_000), file }), context)
    expect(sent).toEqual({ kind: 'sent', messageId: '2' })
    const [, message] = out.chat.messages()
    expect(message?.buttons[0]?.map(({ text }) => text)).toEqual([
      'Approve',
      'Always: rm -rf build',
      'Deny',
    ])
    expect(message?.text).toContain('characters not shown here: the file has all of it')
    expect(message?.text).not.toContain('only be denied')
  })

  test('cannot be approved if it is too large for a file', async () => {
    await using out = await openOutgoing()
    const shown = { ...aCard(), tooLarge: true } as const
    await out.platform.deliver('42', { kind: 'card', card: shown }, aContext())
    const [message] = out.chat.messages()
    expect(message?.buttons[0]?.map(({ text }) => text)).toEqual(['Deny'])
  })
})

test('INT-16 a card whose delivery was not confirmed is sent again, and both copies can be answered', async () => {
  await using out = await openOutgoing()
  out.telegram.failNext('sendMessage', { kind: 'drop-after' })
  const context = aContext()
  expect(await out.platform.deliver('42', card(), context)).toMatchObject({ kind: 'unreachable' })
  expect(await out.platform.deliver('42', card(), context)).toMatchObject({ kind: 'sent' })
  const tokens = out.chat.messages().flatMap(({ buttons }) => tokensIn(buttons))
  expect(tokens).toEqual(context.tokens)
  expect(new Set(tokens).size).toBe(10)
})
