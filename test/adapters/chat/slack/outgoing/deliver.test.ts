import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createMessenger } from '../../../../../src/adapters/chat/slack/outgoing/create-messenger.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'
import type { Outgoing } from '../../../../../src/ports/chat.ts'
import { sha256 } from '../../../../../src/util/digest.ts'
import { aCard } from '../../console/cards.ts'
import { aContext, turnId } from '../../telegram/outgoing/outgoing-place.ts'
import { openOutgoing } from './outgoing-place.ts'

const long = Array.from({ length: 3 }, (_, part) => `part-${part} ${'word '.repeat(1_550)}`).join(
  '\n\n',
)

function answer(markdown: string): Outgoing {
  return { kind: 'answer', markdown, turnId }
}

function card(changes: Parameters<typeof aCard>[0] = {}): Outgoing {
  return { kind: 'card', card: aCard(changes) }
}

test.concurrent('SLACK-03 an answer goes out as blocks, without previews of its links, into its thread', async () => {
  await using out = await openOutgoing()
  const root = out.general.say(out.ada, 'hello')
  const sent = await out.platform.deliver(
    `${out.general.id}/${root}`,
    answer('**Ada** & <b> https://x.y/'),
    aContext(),
  )
  const message = out.general.messages().at(-1)
  expect(sent).toEqual({ kind: 'sent', messageId: message?.ts })
  expect(message).toMatchObject({ text: 'Ada & <b> https://x.y/', threadTs: root })
  const [call] = out.slack.callsOf('chat.postMessage')
  expect(call?.params).toMatchObject({ unfurl_links: 'false', unfurl_media: 'false' })
})

test.concurrent('CHAT-06 an invalid address is refused without a call', async () => {
  await using out = await openOutgoing()
  expect(await out.platform.deliver('@ada', answer('hello'), aContext())).toEqual({
    kind: 'refused',
    why: 'there can be no such chat',
  })
  expect(out.slack.calls).toHaveLength(0)
})

test.concurrent('SLACK-02 APPR-05 a card has its buttons with tokens of its own; its outcome removes them', async () => {
  await using out = await openOutgoing()
  const context = aContext()
  const sent = await out.platform.deliver(out.general.id, card(), context)
  const [shown] = out.general.messages()
  expect(shown?.text.startsWith("❯ Ada's agent wants to use bash:")).toBe(true)
  expect(shown?.buttons.map(({ label, value }) => [label, value])).toEqual(
    ['Approve', 'Always: rm -rf build', 'Deny', 'Edit', '⋯'].map((label, at) => [
      label,
      context.tokens[at],
    ]),
  )
  const editOf = sent.kind === 'sent' ? sent.messageId : ''
  const status = { kind: 'denied', by: 'Eve', at: '2026-11-21T12:03:00Z' } as const
  const update: Outgoing = { kind: 'card_update', card: aCard({ status }) }
  expect(await out.platform.deliver(out.general.id, update, aContext({ editOf }))).toEqual({
    kind: 'sent',
    messageId: editOf,
  })
  expect(out.general.messages()).toMatchObject([{ ts: editOf, buttons: [] }])
  expect(out.general.messages()[0]?.text).toContain('Denied by Eve')
})

test.concurrent('APPR-05 an edit of a deleted card reports that it is gone', async () => {
  await using out = await openOutgoing()
  const sent = await out.platform.deliver(out.general.id, card(), aContext())
  const editOf = sent.kind === 'sent' ? sent.messageId : ''
  out.general.delete(editOf)
  const update: Outgoing = { kind: 'card_update', card: aCard() }
  expect(await out.platform.deliver(out.general.id, update, aContext({ editOf }))).toEqual({
    kind: 'refused',
    why: 'the message to edit is gone',
    isGone: true,
  })
})

test.concurrent('CHAT-05 if Slack refuses the blocks, the text is sent without styles and with the buttons', async () => {
  await using out = await openOutgoing()
  out.slack.failNext('chat.postMessage', { kind: 'error', error: 'invalid_blocks' })
  expect(await out.platform.deliver(out.general.id, card(), aContext())).toMatchObject({
    kind: 'sent',
  })
  const [shown] = out.general.messages()
  expect(shown?.blocks.map(({ type }) => type)).toEqual(['section', 'actions', 'actions'])
  expect(shown?.text.startsWith("❯ Ada's agent wants to use bash:")).toBe(true)
  expect(shown?.buttons).toHaveLength(5)
})

test.concurrent('CHAT-05 if Slack refuses the blocks of an edit, the text is sent as rich text without styles', async () => {
  await using out = await openOutgoing()
  const { platform, general, slack } = out
  const sent = await platform.deliver(general.id, card(), aContext())
  const editOf = sent.kind === 'sent' ? sent.messageId : ''
  slack.failNext('chat.update', { kind: 'error', error: 'invalid_blocks' })
  const status = { kind: 'denied', by: 'Eve', at: '2026-11-21T12:03:00Z' } as const
  const update: Outgoing = { kind: 'card_update', card: aCard({ status }) }
  expect(await platform.deliver(general.id, update, aContext({ editOf }))).toMatchObject({
    kind: 'sent',
  })
  expect(general.message(editOf).text).toContain('Denied by Eve')
  expect(general.message(editOf).blocks).toMatchObject([
    { type: 'rich_text', elements: [{ type: 'rich_text_section' }] },
  ])
})

test.concurrent('CHAT-05 a message refused without styles as well is refused permanently, after two attempts', async () => {
  await using out = await openOutgoing()
  const refused = { kind: 'error', error: 'invalid_blocks' } as const
  out.slack.failNext('chat.postMessage', refused, refused)
  expect(await out.platform.deliver(out.general.id, card(), aContext())).toEqual({
    kind: 'refused',
    why: 'the blocks of the message were not understood',
  })
  expect(out.slack.callsOf('chat.postMessage')).toHaveLength(2)
})

describe.concurrent('CHAT-06 a message of several parts', () => {
  test('records each part before the next is sent; its id is that of the last', async () => {
    await using out = await openOutgoing()
    const order: string[] = []
    const onPart = async () => void order.push(`${out.dm.messages().length} there`)
    const sent = await out.platform.deliver(out.dm.id, answer(long), aContext({ onPart }))
    const messages = out.dm.messages()
    expect(sent).toEqual({ kind: 'sent', messageId: messages.at(-1)?.ts })
    expect(order).toEqual(messages.slice(1).map((_, index) => `${index + 1} there`))
    expect(messages.map(({ text }) => text).join(' ')).toMatch(/part-0.*part-1.*part-2/s)
  })

  test('that is interrupted continues with the next part, and the chat is left alone meanwhile', async () => {
    await using out = await openOutgoing()
    out.slack.failNext('chat.postMessage', undefined, { kind: '429', retryAfter: 3 })
    const first = aContext()
    const tried = await out.platform.deliver(out.dm.id, answer(long), first)
    expect(tried).toMatchObject({ kind: 'busy', afterMs: 3_000 })
    expect(first.parts).toEqual([out.dm.messages()[0]?.ts])
    const again = () =>
      out.platform.deliver(out.dm.id, answer(long), aContext({ sentParts: first.parts }))
    expect(await again()).toMatchObject({ kind: 'busy' })
    await expect.poll(again, { timeout: 30_000 }).toMatchObject({ kind: 'sent' })
    expect(out.slack.tooEarly).toBe(0)
    const said = out.dm.messages().map(({ text }) => text.split(' ')[0])
    expect(said.filter((word) => word?.startsWith('part-'))).toEqual(['part-0', 'part-1', 'part-2'])
  })
})

describe.concurrent('CHAT-06 SLACK-01 a request to wait', () => {
  test('for messages blocks its channel only', async () => {
    await using out = await openOutgoing()
    const { platform, dm, general, slack } = out
    slack.failNext('chat.postMessage', { kind: '429', retryAfter: 5 })
    expect(await platform.deliver(dm.id, answer('a'), aContext())).toMatchObject({ kind: 'busy' })
    expect(await platform.deliver(dm.id, answer('a'), aContext())).toMatchObject({ kind: 'busy' })
    expect(await platform.deliver(general.id, answer('b'), aContext())).toMatchObject({
      kind: 'sent',
    })
    expect(slack.callsOf('chat.postMessage')).toHaveLength(2)
  })

  test('for edits blocks edits in the whole workspace, but not messages', async () => {
    await using out = await openOutgoing()
    const { platform, dm, general, slack } = out
    const places = [dm.id, general.id]
    const ids: string[] = []
    for (const place of places) {
      const sent = await platform.deliver(place, card(), aContext())
      ids.push(sent.kind === 'sent' ? sent.messageId : '')
    }
    slack.failNext('chat.update', { kind: '429', retryAfter: 5 })
    const update: Outgoing = { kind: 'card_update', card: aCard() }
    for (const [index, place] of places.entries()) {
      const context = aContext({ editOf: ids[index] ?? '' })
      expect(await platform.deliver(place, update, context)).toMatchObject({ kind: 'busy' })
      expect(await platform.deliver(place, answer('on'), aContext())).toMatchObject({
        kind: 'sent',
      })
    }
    expect(slack.callsOf('chat.update')).toHaveLength(1)
    expect(slack.tooEarly).toBe(0)
  })

  test('for edits does not delay an answer whose transient message cannot be edited', async () => {
    await using out = await openOutgoing()
    const { platform, dm, client, slack } = out
    const { ts = '' } = await client.chat.postMessage({ channel: dm.id, text: 'hel' })
    slack.failNext('chat.update', { kind: '429', retryAfter: 5 })
    const context = aContext({ liveMessageId: ts })
    expect(await platform.deliver(dm.id, answer('hello'), context)).toMatchObject({ kind: 'sent' })
    expect(dm.messages().map(({ text }) => text)).toEqual(['hello'])
  })
})

test.concurrent('CHAT-04 an answer replaces the transient message, or is a new one if that is gone', async () => {
  await using out = await openOutgoing()
  const { ts: passing = '' } = await out.client.chat.postMessage({ channel: out.dm.id, text: '⏳' })
  const context = aContext({ liveMessageId: passing })
  expect(await out.platform.deliver(out.dm.id, answer('done'), context)).toEqual({
    kind: 'sent',
    messageId: passing,
  })
  expect(out.dm.messages()).toMatchObject([{ ts: passing, text: 'done' }])
  out.dm.delete(passing)
  const sent = await out.platform.deliver(out.dm.id, answer('again'), context)
  expect(sent).toMatchObject({ kind: 'sent' })
  expect(out.dm.messages()).toMatchObject([{ text: 'again' }])
})

test.concurrent('CHAT-05 an answer that names everyone notifies no one, sent or as a replacement', async () => {
  await using out = await openOutgoing()
  const words = answer('@channel <!here> <@U0ADA00001> & "@everyone"')
  const { ts: passing = '' } = await out.client.chat.postMessage({
    channel: out.general.id,
    text: '⏳',
  })
  await out.platform.deliver(out.general.id, words, aContext())
  await out.platform.deliver(out.general.id, words, aContext({ liveMessageId: passing }))
  const told = out.general.messages().map(({ notified }) => notified)
  expect(told).toHaveLength(2)
  for (const notified of told) expect(notified).toEqual({ users: [], broadcasts: [], groups: [] })
})

test.concurrent('CHAT-05 an answer of escaped characters only replaces the transient message', async () => {
  await using out = await openOutgoing()
  const { ts: passing = '' } = await out.client.chat.postMessage({ channel: out.dm.id, text: '⏳' })
  const words = answer(`\`${'&<>'.repeat(1_000)}\``)
  expect(
    await out.platform.deliver(out.dm.id, words, aContext({ liveMessageId: passing })),
  ).toEqual({ kind: 'sent', messageId: passing })
})

test.concurrent('CHAT-03 a notice with the maximum number of buttons is sent completely', async () => {
  await using out = await openOutgoing()
  const revokes = Array.from({ length: 40 }, (_, at) => ({
    grant: { kind: 'session' as const, id: `01a1ff00-0000-7000-8000-0000000000${at + 10}` },
    label: `grant ${at + 10}`,
  }))
  const text = Array.from({ length: 300 }, (_, row) => `${row} git "push" ${'x'.repeat(30)}`).join(
    '\n',
  )
  const notice: Outgoing = { kind: 'notice', text, revokes }
  expect(await out.platform.deliver(out.dm.id, notice, aContext())).toMatchObject({ kind: 'sent' })
  const messages = out.dm.messages()
  expect(messages.at(-1)?.buttons).toHaveLength(40)
  expect(messages.map((message) => message.text).join('\n')).toBe(text)
  expect(out.slack.callsOf('chat.postMessage')).toHaveLength(messages.length)
})

test.concurrent('OUT-10 a file is sent before its card, into its thread, with a caption that names no one', async () => {
  await using out = await openOutgoing()
  const root = out.general.say(out.ada, 'hello')
  const bytes = Buffer.from('all of it\n')
  const file = { id: 'f', name: 'q@here 3.sh', bytes: 10, lines: 1, sha256: sha256(bytes) }
  const context = aContext({ readAttachment: async () => bytes })
  const sent = await out.platform.deliver(`${out.general.id}/${root}`, card({ file }), context)
  const [, document, question] = out.general.messages()
  expect(sent).toEqual({ kind: 'sent', messageId: question?.ts })
  expect(document?.files.map(({ name }) => name)).toEqual(['q_here_3.sh'])
  expect(Buffer.from(document?.files[0]?.bytes ?? []).equals(bytes)).toBe(true)
  expect(document).toMatchObject({ threadTs: root, notified: { users: [], broadcasts: [] } })
  expect(document?.text).toContain(`SHA-256 ${file.sha256}`)
  expect(context.parts).toHaveLength(1)
})

describe.concurrent('CHAT-06 INT-18 failures are distinguished', () => {
  test('lost connections, HTTP errors and HTML pages count as unreachable, and nothing is tried twice', async () => {
    await using out = await openOutgoing()
    const faults = [
      { kind: 'drop-before' },
      { kind: 'drop-after' },
      { kind: 'status', code: 502 },
      { kind: 'garbled' },
      { kind: 'error', error: 'internal_error' },
    ] as const
    for (const fault of faults) {
      out.slack.failNext('chat.postMessage', fault)
      expect(await out.platform.deliver(out.dm.id, answer('hi'), aContext())).toMatchObject({
        kind: 'unreachable',
      })
    }
    expect(out.slack.callsOf('chat.postMessage')).toHaveLength(faults.length)
  })

  test('a time-out counts as no answer', async () => {
    await using out = await openOutgoing({ timeoutMs: 100 })
    out.slack.failNext('chat.postMessage', { kind: 'hang' })
    expect(await out.platform.deliver(out.dm.id, answer('hi'), aContext())).toEqual({
      kind: 'unreachable',
      why: 'no answer (no time left)',
    })
  })

  test('a channel without the bot, and a removed app, are refusals', async () => {
    await using out = await openOutgoing()
    const elsewhere = out.slack.channel({ name: 'elsewhere', members: [out.ada], app: false })
    const send = () => out.platform.deliver(elsewhere.id, answer('hi'), aContext())
    expect(await send()).toMatchObject({ kind: 'refused' })
    out.slack.uninstall()
    expect(await send()).toMatchObject({ kind: 'unreachable' })
  })

  test('THREAT-25 neither the token nor the text is in any reason or log', async () => {
    await using out = await openOutgoing({ timeoutMs: 300 })
    const faults = [
      { kind: '429', retryAfter: 1 },
      { kind: 'drop-before' },
      { kind: 'status', code: 500 },
      { kind: 'garbled' },
      { kind: 'hang' },
      { kind: 'error', error: 'invalid_auth' },
      { kind: 'error', error: 'msg_too_long' },
    ] as const
    const seen: unknown[] = []
    const chats = [out.dm, out.general]
    for (const [at, fault] of faults.entries()) {
      out.slack.failNext('chat.postMessage', fault)
      const { id = '' } = chats[at % 2] ?? {}
      seen.push(await out.platform.deliver(id, answer('hunter2'), aContext()))
    }
    const all = inspect([seen, out.log.lines], { depth: 10, showHidden: true })
    expect(all).not.toContain('hunter2')
    expect(all).not.toContain(out.slack.botToken)
  })
})

describe.concurrent('SLACK-01 the status of a thread', () => {
  test('is shown if threads have one, and otherwise not requested again', async () => {
    await using out = await openOutgoing()
    const messenger = createMessenger(out.client, english)
    const signal = AbortSignal.timeout(60_000)
    await messenger.showTyping(out.dm.id, signal, 't1')
    expect(out.slack.calls).toHaveLength(0)
    out.slack.failNext('assistant.threads.setStatus', { kind: 'error', error: 'missing_scope' })
    const root = out.dm.say(out.ada, 'hello')
    await messenger.showTyping(`${out.dm.id}/${root}`, signal, 't1')
    await messenger.showTyping(`${out.dm.id}/${root}`, signal, 't1')
    expect(out.slack.callsOf('assistant.threads.setStatus')).toHaveLength(1)
  })

  test('deleting a message never fails', async () => {
    await using out = await openOutgoing()
    const messenger = createMessenger(out.client, english)
    await messenger.remove(out.dm.id, '1.1')
    expect(out.slack.callsOf('chat.delete')).toHaveLength(1)
  })
})

describe.concurrent('THREAT-6 SLACK-02 a message for one person', () => {
  const refusal = (callerId: string, text = 'Nothing waits.'): Outgoing => {
    return { kind: 'notice', text, onlyFor: `slack:T0COUNTERS1:${callerId}` }
  }
  const seenByAll = ({ general }: Awaited<ReturnType<typeof openOutgoing>>) =>
    general.botMessages().map(({ text }) => text)

  test('is shown to that person only, in its thread', async () => {
    await using out = await openOutgoing()
    const root = out.general.say(out.ada, 'hello')
    const place = `${out.general.id}/${root}`
    await out.platform.deliver(place, answer('Good day.'), aContext())
    const sent = await out.platform.deliver(place, refusal(out.ada.id), aContext())
    const [shown] = out.general.ephemerals(out.ada)
    expect(shown).toMatchObject({ text: 'Nothing waits.', threadTs: root })
    expect(sent).toEqual({ kind: 'sent', messageId: `only-${shown?.ts}` })
    expect(seenByAll(out)).toEqual(['Good day.'])
    expect(out.slack.callsOf('chat.postMessage')).toHaveLength(1)
  })

  test('is shown in the channel while the thread has no reply, as Slack would show it nowhere', async () => {
    await using out = await openOutgoing()
    const root = out.general.say(out.ada, 'hello')
    for (const place of [`${out.general.id}/${root}`, out.general.id])
      await out.platform.deliver(place, refusal(out.ada.id), aContext())
    const shown = out.general.ephemerals(out.ada)
    expect(shown.map(({ threadTs }) => threadTs)).toEqual([undefined, undefined])
    expect(seenByAll(out)).toEqual([])
  })

  test('is shown to no one else in any number of messages, and completely to its recipient', async () => {
    await using out = await openOutgoing()
    const words = refusal(out.ada.id, long)
    await out.platform.deliver(out.general.id, words, aContext())
    const shown = out.general.ephemerals(out.ada).map(({ text }) => text)
    expect(shown.length).toBeGreaterThan(1)
    expect(shown.join(' ')).toContain('part-2')
    expect(seenByAll(out)).toEqual([])
  })

  test('is shown to no one if Slack asks to wait, or the person is not there', async () => {
    await using out = await openOutgoing()
    out.slack.failNext('chat.postEphemeral', { kind: '429', retryAfter: 7 })
    const first = await out.platform.deliver(out.general.id, refusal(out.ada.id), aContext())
    expect(first).toMatchObject({ kind: 'busy', afterMs: 7_000 })
    await using other = await openOutgoing()
    const bob = other.slack.user('bob')
    const gone = await other.platform.deliver(other.general.id, refusal(bob.id), aContext())
    expect(gone).toEqual({ kind: 'refused', why: 'the person is not in the channel' })
    for (const each of [out, other]) expect(seenByAll(each)).toEqual([])
  })

  test('is an ordinary message in direct messages', async () => {
    await using out = await openOutgoing()
    const sent = await out.platform.deliver(out.dm.id, refusal(out.ada.id), aContext())
    expect(sent).toEqual({ kind: 'sent', messageId: out.dm.botMessages()[0]?.ts })
  })
})
