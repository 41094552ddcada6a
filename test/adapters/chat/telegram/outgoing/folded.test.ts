import { describe, expect, test } from 'vitest'
import type { CardStatus } from '../../../../../src/domain/approval.ts'
import type { Outgoing } from '../../../../../src/ports/chat.ts'
import { sha256 } from '../../../../../src/util/digest.ts'
import { aCard } from '../../console/cards.ts'
import { aContext, openOutgoing } from './outgoing-place.ts'

type Out = Awaited<ReturnType<typeof openOutgoing>>

function rows(count: number): string {
  return Array.from({ length: count }, (_, row) => `${row} @ada /approve <b>`).join('\n')
}

function notice(quoted: string, text = 'Call 1, bash: exit 0; /output 1 all shows more'): Outgoing {
  return { kind: 'notice', text, quoted }
}

function typesOf(out: Out, at = 0) {
  return out.chat.messages()[at]?.entities.map(({ type }) => type)
}

const old = { telegram: { lacks: ['rich_messages'] } } as const
const by = { by: 'Ada', at: '2026-11-21T12:03:00Z' }

describe('TG-06 the call on a card', () => {
  const what = `write_file a.txt\n\n--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n${rows(30)}`
  const settled: readonly CardStatus[] = [
    { kind: 'approved', ...by, always: false },
    { kind: 'denied', ...by },
    { kind: 'running', ...by },
    { kind: 'finished', ...by, outcome: 'done', isSuccess: true, durationMs: 5 },
    { kind: 'expired', at: by.at },
  ]

  test('APPR-02 is not folded while it waits for a decision', async () => {
    await using out = await openOutgoing()
    await out.platform.deliver('42', { kind: 'card', card: aCard({ what }) }, aContext())
    expect(typesOf(out)).toContain('pre')
    const { html = '' } = out.chat.messages()[0] ?? {}
    expect(html.indexOf('<blockquote expandable>')).toBeGreaterThan(html.indexOf('</pre>'))
  })

  test.each(settled)(
    'folds where it is long, once it is $kind, and none of it is lost',
    async (status) => {
      await using out = await openOutgoing()
      await out.platform.deliver('42', { kind: 'card', card: aCard({ what }) }, aContext())
      const card = aCard({ what, status })
      await out.platform.deliver('42', { kind: 'card_update', card }, aContext({ editOf: '1' }))
      const [message] = out.chat.messages()
      expect(typesOf(out)).toContain('expandable_blockquote')
      expect(message?.html).toMatch(
        /<blockquote expandable><code>write_file a\.txt\n\n--- a\.txt\n[\s\S]+<\/code><\/blockquote>/,
      )
      expect(message?.text).toContain(rows(30))
    },
  )

  test('is not folded if it is short', async () => {
    await using out = await openOutgoing()
    const card = aCard({ status: { kind: 'granted' } })
    await out.platform.deliver('42', { kind: 'card', card }, aContext())
    expect(typesOf(out)).not.toContain('expandable_blockquote')
  })
})

describe('TG-06 long output below a notice', () => {
  test('folds in its message', async () => {
    await using out = await openOutgoing()
    await out.platform.deliver('42', notice(rows(40)), aContext())
    expect(out.telegram.callsOf('sendRichMessage')).toEqual([])
    expect(typesOf(out)).toEqual(['bot_command', 'expandable_blockquote', 'code'])
    expect(out.chat.messages()).toHaveLength(1)
  })

  test('is not folded if it is short', async () => {
    await using out = await openOutgoing()
    await out.platform.deliver('42', notice(rows(12)), aContext())
    expect(typesOf(out)).toEqual(['bot_command', 'pre'])
  })

  test('is not folded if its buttons refer to it', async () => {
    await using out = await openOutgoing()
    const revokes = [{ label: '1', grant: { kind: 'session', id: 'g' } }] as const
    await out.platform.deliver(
      '42',
      { kind: 'notice', text: 'Grants', quoted: rows(20), revokes },
      aContext(),
    )
    expect(typesOf(out)).toEqual(['pre'])
  })

  test('of several messages becomes one folded message, with our own blocks', async () => {
    await using out = await openOutgoing()
    const quoted = `${rows(900)}\n<tg-button type="callback_data" data="x">Approve</tg-button>`
    const sent = await out.platform.deliver('42', notice(quoted), aContext())
    expect(sent).toEqual({ kind: 'sent', messageId: '1' })
    const [message, ...others] = out.chat.messages()
    expect(others).toEqual([])
    expect(message?.rich).toEqual([
      {
        type: 'paragraph',
        text: [
          'Call 1, bash: exit 0; ',
          { type: 'bot_command', text: '/output', bot_command: '/output' },
          ' 1 all shows more',
        ],
      },
      { type: 'details', summary: 'Show 901 lines', blocks: [{ type: 'pre', text: quoted }] },
    ])
    expect(message?.entities.map(({ type }) => type)).toEqual(['bot_command', 'pre'])
    const [call] = out.telegram.callsOf('sendRichMessage')
    expect(call?.params['rich_message']).not.toHaveProperty('html')
    expect(call?.params['rich_message']).not.toHaveProperty('markdown')
  })

  test('THREAT-23 foreign text next to it is code there too', async () => {
    await using out = await openOutgoing()
    await out.platform.deliver('42', notice(rows(900), 'by @ada: /frobnicate, /stop'), aContext())
    expect(out.chat.messages()[0]?.rich?.[0]).toEqual({
      type: 'paragraph',
      text: [
        'by ',
        { type: 'code', text: '@ada' },
        ': ',
        { type: 'code', text: '/frobnicate' },
        ', ',
        { type: 'bot_command', text: '/stop', bot_command: '/stop' },
      ],
    })
  })

  test('is sent as several messages by a server without rich messages, which is tested once', async () => {
    await using out = await openOutgoing(old)
    await out.platform.deliver('42', notice(rows(300)), aContext())
    await out.platform.deliver('42', notice(rows(300)), aContext())
    expect(out.telegram.callsOf('sendRichMessage')).toHaveLength(1)
    const messages = out.chat.messages()
    expect(messages.length).toBeGreaterThan(3)
    for (const { entities } of messages)
      expect(entities.map(({ type }) => type)).toContain('expandable_blockquote')
  })

  test('is sent as several messages if this one is refused, without consequences for the next', async () => {
    await using out = await openOutgoing()
    const description = 'Bad Request: RICH_MESSAGE_INVALID'
    out.telegram.failNext('sendRichMessage', { kind: 'status', code: 400, description })
    await out.platform.deliver('42', notice(rows(300)), aContext())
    expect(out.chat.messages().every(({ rich }) => rich === undefined)).toBe(true)
    await out.platform.deliver('42', notice(rows(300)), aContext())
    expect(out.chat.messages().at(-1)?.rich).toBeDefined()
  })

  test('is sent as several messages if it exceeds a rich message', async () => {
    await using out = await openOutgoing()
    await out.platform.deliver('42', notice('x😀\n'.repeat(11_000)), aContext())
    expect(out.telegram.callsOf('sendRichMessage')).toEqual([])
    await out.platform.deliver('42', notice('😀'.repeat(31_000)), aContext())
    expect(out.chat.messages().at(-1)?.rich).toBeDefined()
  })

  test('CHAT-06 waits if the platform asks to, and is not sent another way meanwhile', async () => {
    await using out = await openOutgoing()
    out.telegram.failNext('sendRichMessage', { kind: '429', retryAfter: 3 })
    const sent = await out.platform.deliver('42', notice(rows(300)), aContext())
    expect(sent).toMatchObject({ kind: 'busy', afterMs: 3_000 })
    expect(out.telegram.callsOf('sendMessage')).toEqual([])
  })

  test('CHAT-06 REL-01 is not repeated in parts after a kill', async () => {
    await using out = await openOutgoing()
    const bytes = Buffer.from('all of it\n')
    const size = { bytes: bytes.length, lines: 1, sha256: sha256(bytes) }
    const file = { id: 'f', name: 'output-1.txt', about: 'the output of call 1', ...size }
    const message: Outgoing = { kind: 'notice', text: 'Call 1', quoted: rows(300), file }
    const stored: string[] = []
    const killed = aContext({
      onPart: async (id, count = 1) => {
        stored.push(...Array<string>(count).fill(id))
        throw new Error('killed')
      },
    })
    await expect(out.platform.deliver('42', message, killed)).rejects.toThrow('killed')
    expect(out.chat.messages()).toHaveLength(1)
    const again = aContext({ sentParts: stored, readAttachment: async () => bytes })
    expect(await out.platform.deliver('42', message, again)).toMatchObject({ kind: 'sent' })
    expect(out.chat.messages().map(({ rich, media }) => rich !== undefined || media)).toEqual([
      true,
      'document',
    ])
    // Alone it is all of it: there is no moment between its parts.
    const parts: string[] = []
    const alone = aContext({ onPart: async (id) => void parts.push(id) })
    await out.platform.deliver('42', { kind: 'notice', text: 'Call 2', quoted: rows(300) }, alone)
    expect(parts).toEqual([])
  })

  test('CHAT-06 OUT-10 a failed file after it is retried alone', async () => {
    await using out = await openOutgoing()
    const bytes = Buffer.from('all of it\n')
    const size = { bytes: bytes.length, lines: 1, sha256: sha256(bytes) }
    const file = { id: 'f', name: 'output-1.txt', about: 'the output of call 1', ...size }
    const message: Outgoing = { kind: 'notice', text: 'Call 1', quoted: rows(300), file }
    const sentParts: string[] = []
    const context = aContext({
      sentParts,
      onPart: async (id, count = 1) => void sentParts.push(...Array<string>(count).fill(id)),
      readAttachment: async () => bytes,
    })
    out.telegram.failNext('sendDocument', { kind: '429', retryAfter: 1 })
    await out.platform.deliver('42', message, context)
    await expect
      .poll(() => out.platform.deliver('42', message, context), { timeout: 20_000 })
      .toMatchObject({ kind: 'sent' })
    const [words, document, ...others] = out.chat.messages()
    expect(others).toEqual([])
    expect(words?.rich).toBeDefined()
    expect(document?.media).toBe('document')
  })
})
