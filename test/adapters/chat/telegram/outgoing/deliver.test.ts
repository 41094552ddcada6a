import { describe, expect, test } from 'vitest'
import type { Delivery, DeliveryContext, Outgoing } from '../../../../../src/ports/chat.ts'
import { sha256 } from '../../../../../src/util/digest.ts'
import { aContext, openOutgoing, turnId } from './outgoing-place.ts'

const long = Array.from({ length: 3 }, (_, part) => `part-${part} ${'word '.repeat(750)}`).join(
  '\n\n',
)

function answer(markdown: string): Outgoing {
  return { kind: 'answer', markdown, turnId }
}

function notice(text: string): Outgoing {
  return { kind: 'notice', text }
}

test('TG-05 an answer goes out as HTML, without previews of its links', async () => {
  await using out = await openOutgoing()
  const sent = await out.platform.deliver('42', answer('**Ada** & <b>'), aContext())
  expect(sent).toEqual({ kind: 'sent', messageId: '1' })
  expect(out.chat.messages()).toMatchObject([
    { id: 1, text: 'Ada & <b>', entities: [{ type: 'bold' }] },
  ])
  const [call] = out.telegram.callsOf('sendMessage')
  expect(call?.params).toMatchObject({
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
  })
})

test('TG-04 a message for a topic goes to that topic', async () => {
  await using out = await openOutgoing()
  const topic = out.forum.topic('Deploys')
  await out.platform.deliver(`-1001/${topic}`, notice('hello'), aContext())
  expect(out.forum.botMessages()).toMatchObject([{ text: 'hello', threadId: topic }])
})

test('CHAT-06 an invalid address is refused without a call', async () => {
  await using out = await openOutgoing()
  const refused = await out.platform.deliver('../42', notice('hello'), aContext())
  expect(refused).toEqual({ kind: 'refused', why: 'there can be no such chat' })
  expect(out.telegram.calls).toHaveLength(0)
})

test('THREAT-23 CHAT-05 the quoted text of a notice is code, completely', async () => {
  await using out = await openOutgoing({ telegram: { lacks: ['rich_messages'] } })
  const quoted = Array.from({ length: 900 }, (_, row) => `${row} @ada /approve <b>`).join('\n')
  const message: Outgoing = { kind: 'notice', text: 'Call 1, bash: exit 0', quoted }
  expect(await out.platform.deliver('42', message, aContext())).toMatchObject({ kind: 'sent' })
  const parts = out.chat.messages()
  expect(parts.length).toBeGreaterThan(3)
  expect(parts.map(({ text }) => text).join('\n')).toBe(`Call 1, bash: exit 0\n${quoted}`)
  for (const { text, entities } of parts)
    expect(entities).toMatchObject(
      ['expandable_blockquote', 'code'].map((type) => {
        const offset = text.startsWith('Call') ? 21 : 0
        return { type, offset, length: text.length - offset }
      }),
    )
})

test('OUT-10 the file of a notice is sent after it, once, also after a retry', async () => {
  await using out = await openOutgoing()
  const bytes = Buffer.from('all of it\n')
  const size = { bytes: bytes.length, lines: 1, sha256: sha256(bytes) }
  const file = { id: 'f', name: 'output-3.txt', about: 'the output of call 3', ...size }
  const message: Outgoing = { kind: 'notice', text: 'Call 3, bash: exit 0', quoted: 'all', file }
  const sentParts: string[] = []
  const context = aContext({
    sentParts,
    onPart: async (id) => void sentParts.push(id),
    readAttachment: async () => bytes,
  })
  out.telegram.failNext('sendDocument', undefined, { kind: '429', retryAfter: 1 })
  await out.platform.deliver('42', message, context)
  await out.platform.deliver('42', message, context)
  const [words, document] = out.chat.messages()
  expect(out.chat.messages()).toHaveLength(2)
  expect(words?.text).toBe('Call 3, bash: exit 0\nall')
  expect(document?.document?.name).toBe('output-3.txt')
  expect(Buffer.from(document?.document?.bytes ?? []).equals(bytes)).toBe(true)
  expect(document?.text).toContain('All of the output of call 3: 10 bytes, 1 line.')
  const other = aContext({ readAttachment: async () => Buffer.from('something else') })
  expect(await out.platform.deliver('42', message, other)).not.toMatchObject({ kind: 'sent' })
})

describe('TG-07 a long answer', () => {
  const paragraphs = (count: number) =>
    Array.from({ length: count }, (_, at) => `Paragraph ${at}. ${'Words. '.repeat(100)}`.trim())

  test('is split between paragraphs, into at most four messages', async () => {
    await using out = await openOutgoing()
    await out.platform.deliver('42', answer(paragraphs(18).join('\n\n')), aContext())
    const texts = out.chat.messages().map(({ text }) => text)
    expect(texts).toHaveLength(4)
    for (const text of texts) expect(text).toMatch(/^Paragraph \d+\. [\s\S]*Words\.$/)
    expect(texts.join('\n\n')).toBe(paragraphs(18).join('\n\n'))
  })

  test('that is longer is a file, below a message with its beginning', async () => {
    await using out = await openOutgoing()
    const whole = paragraphs(40).join('\n\n')
    const context = aContext()
    const sent = await out.platform.deliver('42', answer(whole), context)
    expect(sent).toEqual({ kind: 'sent', messageId: '2' })
    expect(context.parts).toEqual(['1'])
    const [beginning, file] = out.chat.messages()
    expect(beginning?.text).toMatch(/^Paragraph 0\. [\s\S]*Words\.$/)
    expect(whole.startsWith(beginning?.text ?? '-')).toBe(true)
    expect(file?.document?.name).toBe('answer.md')
    expect(Buffer.from(file?.document?.bytes ?? []).toString()).toBe(whole)
    expect(file?.text).toMatch(/^The message above is the beginning/)
  })
})

describe('CHAT-06 a message of several parts', () => {
  test('records each part before the next is sent; its id is that of the last', async () => {
    await using out = await openOutgoing()
    const order: string[] = []
    const context = aContext({
      onPart: async (id) => {
        order.push(`${id} stored, ${out.chat.messages().length} there`)
      },
    })
    const sent = await out.platform.deliver('42', answer(long), context)
    expect(sent).toEqual({ kind: 'sent', messageId: '3' })
    expect(order).toEqual(['1 stored, 1 there', '2 stored, 2 there'])
  })

  test('that is interrupted continues with the next part', async () => {
    await using out = await openOutgoing()
    out.telegram.failNext('sendMessage', undefined, { kind: '429', retryAfter: 1 })
    const first = aContext()
    expect(await out.platform.deliver('42', answer(long), first)).toMatchObject({
      kind: 'busy',
      afterMs: 1_000,
    })
    expect(first.parts).toEqual(['1'])
    out.telegram.failNext('sendMessage', { kind: 'drop-before' })
    await expect
      .poll(() => retry(out, first.parts), { timeout: 20_000 })
      .toMatchObject({
        kind: 'sent',
        messageId: '3',
      })
    const texts = out.chat.messages().map(({ text }) => text.slice(0, 6))
    expect(texts).toEqual(['part-0', 'part-1', 'part-2'])
  })

  function retry(
    out: Awaited<ReturnType<typeof openOutgoing>>,
    parts: string[],
  ): Promise<Delivery> {
    const context = aContext({
      sentParts: [...parts],
      onPart: async (id) => {
        parts.push(id)
      },
    })
    return out.platform.deliver('42', answer(long), context)
  }

  test('whose parts were all sent is not sent again', async () => {
    await using out = await openOutgoing()
    const context = aContext({ sentParts: ['7', '8', '9'] })
    const sent = await out.platform.deliver('42', answer(long), context)
    expect(sent).toEqual({ kind: 'sent', messageId: '9' })
    expect(out.telegram.calls).toHaveLength(0)
  })
})

describe('CHAT-04 the transient message', () => {
  async function withPassing(given: Partial<DeliveryContext> = {}) {
    const out = await openOutgoing()
    await out.platform.deliver('42', notice('so far'), aContext())
    return { out, context: aContext({ liveMessageId: '1', ...given }) }
  }

  test('becomes the answer', async () => {
    const { out, context } = await withPassing()
    await using _ = out
    const sent = await out.platform.deliver('42', answer('all of it'), context)
    expect(sent).toEqual({ kind: 'sent', messageId: '1' })
    expect(out.chat.messages()).toMatchObject([{ id: 1, text: 'all of it' }])
  })

  test('becomes the remark of the model', async () => {
    const { out, context } = await withPassing()
    await using _ = out
    const remark: Outgoing = { kind: 'remark', markdown: '**First** this.', turnId }
    const sent = await out.platform.deliver('42', remark, context)
    expect(sent).toEqual({ kind: 'sent', messageId: '1' })
    expect(out.chat.messages()).toMatchObject([
      { id: 1, text: 'First this.', entities: [{ type: 'bold' }] },
    ])
  })

  test('becomes the first part of a long answer', async () => {
    const { out, context } = await withPassing()
    await using _ = out
    await out.platform.deliver('42', answer(long), context)
    expect(context.parts).toEqual(['1', '2'])
    expect(out.chat.messages().map(({ text }) => text.slice(0, 6))).toEqual([
      'part-0',
      'part-1',
      'part-2',
    ])
  })

  test('is not touched once the first part was sent', async () => {
    const { out, context } = await withPassing({ sentParts: ['1'] })
    await using _ = out
    await out.platform.deliver('42', answer(long), context)
    expect(out.chat.messages()[0]).toMatchObject({ text: 'so far', edits: 0 })
  })

  test('that equals the answer is the answer', async () => {
    const { out, context } = await withPassing()
    await using _ = out
    const sent = await out.platform.deliver('42', answer('so far'), context)
    expect(sent).toEqual({ kind: 'sent', messageId: '1' })
    expect(out.chat.messages()).toMatchObject([{ id: 1, text: 'so far' }])
  })

  test('that was deleted is replaced by a new answer', async () => {
    const { out, context } = await withPassing()
    await using _ = out
    out.chat.delete(1)
    const sent = await out.platform.deliver('42', answer('all of it'), context)
    expect(sent).toEqual({ kind: 'sent', messageId: '2' })
    expect(out.chat.messages()).toMatchObject([{ id: 2, text: 'all of it' }])
  })

  test('is not duplicated if the edit is not answered', async () => {
    const { out, context } = await withPassing()
    await using _ = out
    out.telegram.failNext('editMessageText', { kind: 'drop-after' })
    const first = await out.platform.deliver('42', answer('all of it'), context)
    expect(first).toMatchObject({ kind: 'unreachable' })
    const second = await out.platform.deliver('42', answer('all of it'), context)
    expect(second).toEqual({ kind: 'sent', messageId: '1' })
    expect(out.chat.messages()).toHaveLength(1)
  })

  test('is deleted, and a failure of that is ignored', async () => {
    const { out } = await withPassing()
    await using _ = out
    await out.platform.retract?.('42', '1')
    expect(out.chat.messages()).toEqual([])
    await out.platform.retract?.('42', '1')
    await out.platform.retract?.('nowhere', '1')
  })
})

test('CHAT-05 text that the parser refuses is sent as plain text', async () => {
  await using out = await openOutgoing()
  const description = "Bad Request: can't parse entities: Unsupported start tag"
  out.telegram.failNext('sendMessage', { kind: 'status', code: 400, description })
  const sent = await out.platform.deliver('42', answer('**Ada** & `<b>`'), aContext())
  expect(sent).toEqual({ kind: 'sent', messageId: '1' })
  expect(out.chat.messages()).toMatchObject([{ text: 'Ada & <b>', entities: [] }])
  const [, second] = out.telegram.callsOf('sendMessage')
  expect(second?.params).not.toHaveProperty('parse_mode')
})

test('CHAT-05 an edit that the parser refuses is sent as plain text too', async () => {
  await using out = await openOutgoing()
  await out.platform.deliver('42', notice('so far'), aContext())
  const description = "Bad Request: can't parse entities: Unsupported start tag"
  out.telegram.failNext('editMessageText', { kind: 'status', code: 400, description })
  await out.platform.deliver('42', answer('**Ada**'), aContext({ liveMessageId: '1' }))
  expect(out.chat.messages()).toMatchObject([{ id: 1, text: 'Ada', entities: [] }])
})

test('LOOP-04 an empty answer is still a message', async () => {
  await using out = await openOutgoing()
  const sent = await out.platform.deliver('42', answer('\u200b'), aContext())
  expect(sent).toMatchObject({ kind: 'sent' })
  expect(out.chat.messages()).toHaveLength(1)
})

describe("CHAT-06 the platform's answer decides", () => {
  test.each([
    ['unreachable', { kind: 'status', code: 502 }],
    ['unreachable', { kind: 'status', code: 401, description: 'Unauthorized' }],
    ['unreachable', { kind: 'status', code: 404, description: 'Not Found' }],
    ['unreachable', { kind: 'status', code: 500, description: 'Internal Server Error' }],
    ['unreachable', { kind: 'drop-before' }],
    ['refused', { kind: 'status', code: 400, description: 'Bad Request: chat not found' }],
    ['refused', { kind: 'status', code: 403, description: 'Forbidden: whatever' }],
    ['busy', { kind: '429', retryAfter: 300 }],
  ] as const)('%s after %o', async (kind, fault) => {
    await using out = await openOutgoing()
    out.telegram.failNext('sendMessage', fault)
    const delivery = await out.platform.deliver('42', notice('hello'), aContext())
    expect(delivery.kind).toBe(kind)
    expect(JSON.stringify(delivery)).not.toContain('hello')
    expect(JSON.stringify(delivery)).not.toContain(out.telegram.token)
  })

  test('a person who blocked the bot, a closed topic and a muted bot are permanent refusals', async () => {
    await using out = await openOutgoing()
    const topic = out.forum.topic('Deploys')
    out.forum.closeTopic(topic)
    out.chat.block()
    const blocked = await out.platform.deliver('42', notice('hello'), aContext())
    const closed = await out.platform.deliver(`-1001/${topic}`, notice('hello'), aContext())
    out.forum.mute()
    const muted = await out.platform.deliver('-1001', notice('hello'), aContext())
    expect([blocked, closed, muted]).toEqual([
      { kind: 'refused', why: 'the person blocked the bot' },
      { kind: 'refused', why: 'the topic is closed' },
      { kind: 'refused', why: 'the bot has no right to send there' },
    ])
  })

  test('a server that does not answer is unreachable after the time-out', async () => {
    await using out = await openOutgoing({ timeoutMs: 150 })
    out.telegram.failNext('sendMessage', { kind: 'hang' })
    const delivery = await out.platform.deliver('42', notice('hello'), aContext())
    expect(delivery).toEqual({
      kind: 'unreachable',
      why: 'no answer to sendMessage (no time left)',
    })
  })

  test('our own errors are rethrown, and nothing is lost', async () => {
    await using out = await openOutgoing()
    const context = aContext({ onPart: () => Promise.reject(new Error('the database is away')) })
    await expect(out.platform.deliver('42', answer(long), context)).rejects.toThrow('away')
    expect(out.chat.messages()).toHaveLength(1)
  })
})
