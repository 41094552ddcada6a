import { describe, expect, test } from 'vitest'
import { createLiveView } from '../../../../../src/adapters/chat/live/live-view.ts'
import { createApi } from '../../../../../src/adapters/chat/telegram/api.ts'
import { createMessenger } from '../../../../../src/adapters/chat/telegram/outgoing/create-messenger.ts'
import type { CardStatus } from '../../../../../src/domain/approval.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'
import { turnNumber } from '../../../../../src/domain/turn.ts'
import type { Outgoing } from '../../../../../src/ports/chat.ts'
import { newId } from '../../../../../src/util/ids.ts'
import { silentLog } from '../../../../../src/util/log.ts'
import { aCard } from '../../console/cards.ts'
import {
  aContext,
  openOutgoing,
  progress,
  quickPace,
  TestStage,
  text,
  thinking,
  turnId,
} from './outgoing-place.ts'

const answer: Outgoing = { kind: 'answer', markdown: 'all of it', turnId }
const drafts = { telegram: { drafts: true } }
const other = '019aa000-0000-7000-8000-000000000002'

type Out = Awaited<ReturnType<typeof openOutgoing>>

/** As the outbox does it: nothing passing shows meanwhile. */
function deliverAnswer(out: Out, place = '42') {
  out.stage.isOver = ({ kind }) => kind === 'turn'
  return out.stage.alone(() => {
    const liveMessageId = out.stage.messages.get(place)
    const live = liveMessageId === undefined ? {} : { liveMessageId }
    return out.platform.deliver(place, answer, aContext(live))
  })
}

function changes(out: Out, place: 'chat' | 'forum' = 'chat') {
  return out[place].history.map(({ kind, message, at }) => ({ kind, text: message.text, at }))
}

/** For how long it runs, as the last message tells; a busy machine may leave out any one second. */
function secondsOn(out: Out): number {
  return Number(/(?:· |\()(\d+) s\b/.exec(out.chat.messages().at(-1)?.text ?? '')?.[1] ?? 0)
}

/** Long enough for anything that is still to come. */
function aWhile(ms = 500): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

describe.concurrent('CHAT-04 text is shown while it is written', () => {
  test('in one message that is edited, then becomes the answer', async () => {
    await using out = await openOutgoing()
    out.platform.live('42', text('one'))
    await out.chat.waitForText('one')
    out.platform.live('42', text(' two'))
    await out.chat.waitForText('one two')
    await deliverAnswer(out)
    expect(out.chat.messages()).toMatchObject([{ id: 1, text: 'all of it' }])
    expect(out.telegram.callsOf('sendMessage')).toHaveLength(1)
  })

  test('and becomes the remark of the model; later text is shown in a new message', async () => {
    await using out = await openOutgoing()
    out.platform.live('42', text('one'))
    await out.chat.waitForText('one')
    await out.stage.alone(async () => {
      const remark: Outgoing = { kind: 'remark', markdown: 'one by one', turnId }
      await out.platform.deliver('42', remark, aContext({ liveMessageId: '1' }))
      out.stage.messages.delete('42')
    })
    out.platform.live('42', text('two'))
    await out.chat.waitForText('two')
    const [remark, passing] = out.chat.messages()
    expect(remark).toMatchObject({ id: 1, text: 'one by one' })
    expect(passing?.text).not.toContain('one')
    await deliverAnswer(out)
    expect(out.chat.messages()).toMatchObject([{ text: 'one by one' }, { text: 'all of it' }])
  })

  test('and nothing shows after the answer', async () => {
    await using out = await openOutgoing()
    out.platform.live('42', thinking())
    out.platform.live('42', text('one'))
    await out.chat.waitForText('one')
    out.platform.live('42', text(' two'))
    await deliverAnswer(out)
    const calls = out.telegram.calls.length
    out.platform.live('42', text(' three'))
    out.platform.live('42', thinking())
    await aWhile()
    expect(out.telegram.calls).toHaveLength(calls)
    expect(out.chat.messages().at(-1)?.text).toBe('all of it')
  })

  test('and a turn that was delayed for long is shown again from its next step', async () => {
    await using out = await openOutgoing()
    out.stage.isOver = () => true
    out.platform.live('42', text('one'))
    await expect.poll(() => out.stage.asked.length, { timeout: 20_000 }).toBe(5)
    out.stage.isOver = () => false
    out.platform.live('42', text(' two'))
    await aWhile()
    expect(changes(out)).toEqual([])
    out.platform.live('42', text('three', 2))
    await out.chat.waitForText('three')
  })

  test('even if the lock would allow it', async () => {
    await using out = await openOutgoing()
    out.platform.live('42', text('one'))
    await out.chat.waitForText('one')
    await deliverAnswer(out)
    out.stage.isOver = () => false
    out.platform.live('42', text(' two', 2))
    out.platform.live('42', thinking(2))
    out.platform.live('42', progress('grep', 'searching', 1_000, 2))
    await aWhile()
    expect(out.chat.messages()).toMatchObject([{ text: 'all of it' }])
    expect(out.chat.actions).toEqual([])
  })

  test('also when another gateway delivered the answer', async () => {
    await using out = await openOutgoing()
    out.platform.live('42', text('one'))
    await out.chat.waitForText('one')
    out.stage.isOver = () => true
    out.platform.live('42', text(' two'))
    out.platform.live('42', thinking())
    await expect.poll(() => out.stage.asked.length, { timeout: 20_000 }).toBeGreaterThan(6)
    expect(changes(out)).toHaveLength(1)
    const asked = out.stage.asked.length
    await aWhile(1_000)
    // It gives up asking.
    expect(out.stage.asked.length).toBeLessThanOrEqual(asked + 5)
  })

  test('but not for a quick answer', async () => {
    await using out = await openOutgoing({ pace: { ...quickPace, firstMs: 8_000 } })
    out.platform.live('42', text('quick'))
    await aWhile()
    await deliverAnswer(out)
    await aWhile(8_000)
    expect(changes(out)).toMatchObject([{ kind: 'send', text: 'all of it' }])
  })

  test('with a line that names the running tool and the time', async () => {
    await using out = await openOutgoing()
    out.platform.live('42', text('Let me look.'))
    out.platform.live('42', progress('grep', 'first\nsecond\n', 3_000))
    const shown = await out.chat.waitForText('grep')
    expect(shown.text).toContain('Let me look.')
    expect(shown.text).toContain('second')
    expect(shown.text).not.toContain('first')
    await out.telegram.waitFor(() => secondsOn(out) > 3)
  })

  test('CHAT-05 as plain text if the parser refuses it', async () => {
    await using out = await openOutgoing()
    const description = "Bad Request: can't parse entities: Unsupported start tag"
    out.telegram.failNext('sendMessage', { kind: 'status', code: 400, description })
    out.platform.live('42', text('**bold**'))
    const shown = await out.chat.waitForText('bold')
    expect(shown.entities).toEqual([])
  })

  test('in a new message if somebody deleted it', async () => {
    await using out = await openOutgoing()
    out.platform.live('42', text('one'))
    const { id } = await out.chat.waitForText('one')
    out.chat.delete(id)
    out.platform.live('42', text(' two'))
    expect((await out.chat.waitForText('one two')).id).toBeGreaterThan(id)
    await expect.poll(() => out.stage.messages.get('42'), { timeout: 20_000 }).toBe('2')
  })
})

describe.concurrent('TG-05 edits respect the rate limits of the platform', () => {
  test.each([
    ['42', 'chat', quickPace.privateMs],
    ['-1001', 'forum', quickPace.groupMs],
  ] as const)('in %s', async (place, where, gapMs) => {
    await using out = await openOutgoing()
    const writing = setInterval(() => out.platform.live(place, text('word ')), 10)
    await out.telegram.waitFor(() => changes(out, where).length >= 5)
    clearInterval(writing)
    const times = changes(out, where).map(({ at }) => at)
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(gapMs - 2)
  })

  test('which are shared by all topics of a forum', async () => {
    await using out = await openOutgoing()
    const topics = ['one', 'two', 'three'].map((name) => `-1001/${out.forum.topic(name)}`)
    const writing = setInterval(() => {
      for (const place of topics) out.platform.live(place, text('word '))
    }, 10)
    const written = () => out.forum.history.filter(({ message }) => message.text.includes('word'))
    await out.telegram.waitFor(() => written().length >= 6)
    clearInterval(writing)
    const times = written().map(({ at }) => at)
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(quickPace.groupMs - 2)
    expect(new Set(written().map(({ message }) => message.threadId)).size).toBe(3)
  })

  test('INT-19 and a request to wait silences the chat, but no others', async () => {
    await using out = await openOutgoing()
    out.telegram.failNext('sendMessage', { kind: '429', retryAfter: 2 })
    out.platform.live('42', text('one'))
    await out.telegram.waitFor(() => out.telegram.callsOf('sendMessage').length === 1)
    out.platform.live('-1001', text('elsewhere'))
    await out.forum.waitForText('elsewhere')
    out.platform.live('42', thinking())
    await out.chat.waitForText('one')
    await out.telegram.waitFor(() => out.chat.actions.length > 0)
    expect(out.telegram.tooEarly).toBe(0)
    const [refused] = out.telegram.callsOf('sendMessage')
    const [action] = out.chat.actions
    expect((action?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(1_990)
  })

  test('INT-19 also if a durable message was asked to wait', async () => {
    await using out = await openOutgoing()
    out.telegram.failNext('sendMessage', { kind: '429', retryAfter: 1 })
    await out.platform.deliver('42', { kind: 'notice', text: 'hello' }, aContext())
    out.platform.live('42', text('one'))
    await out.chat.waitForText('one')
    expect(out.telegram.tooEarly).toBe(0)
  })

  test('INT-19 and several such requests silence all chats', async () => {
    await using out = await openOutgoing()
    const wait = { kind: '429', retryAfter: 3 } as const
    out.telegram.failNext('sendMessage', wait, wait, wait)
    for (const id of [43, 44, 45]) out.telegram.privateChat({ id, is_bot: false, first_name: 'B' })
    for (const place of ['43', '44', '45']) out.platform.live(place, text('one'))
    await out.telegram.waitFor(() => out.telegram.callsOf('sendMessage').length === 3)
    await aWhile(300)
    const refused = out.telegram.callsOf('sendMessage').map(({ at }) => at)
    out.platform.live('42', text('one'))
    await out.chat.waitForText('one')
    const [shown] = changes(out)
    expect((shown?.at ?? 0) - Math.max(...refused)).toBeGreaterThan(1_300)
  })
})

describe.concurrent('INT-2 an agent that lost its turn', () => {
  test('adds nothing to the text of the one that took it over', async () => {
    await using out = await openOutgoing()
    out.platform.live('42', text('old words', 1))
    await out.chat.waitForText('old words')
    out.platform.live('42', text('new words', 2))
    out.platform.live('42', text(' more old', 1))
    out.platform.live('42', text(' and more', 2))
    const shown = await out.chat.waitForText('new words and more')
    expect(shown.text).not.toContain('old')
    expect(out.stage.asked.at(-1)).toEqual({ kind: 'turn', turnId, epoch: 2 })
  })

  test('and a stopped turn does not take over the text of the next one', async () => {
    await using out = await openOutgoing()
    out.stage.isOver = (about) => about.kind === 'turn' && about.turnId === turnId
    out.platform.live('42', text('stopped'))
    out.platform.live('42', text('next', 1, other))
    out.platform.live('42', text(' late'))
    out.platform.live('42', text(' words', 1, other))
    const shown = await out.chat.waitForText('next words')
    expect(shown.text).not.toMatch(/stopped|late/)
  })
})

describe.concurrent('CHAT-04 "typing…"', () => {
  test('is shown at once and again while a turn thinks, and ends with the answer', async () => {
    await using out = await openOutgoing()
    out.platform.live('42', thinking())
    await out.telegram.waitFor(() => out.chat.actions.length >= 3)
    expect(out.chat.actions[0]?.action).toBe('typing')
    await deliverAnswer(out)
    const before = out.chat.actions.length
    await aWhile()
    expect(out.chat.actions).toHaveLength(before)
  })

  test('ends with any durable message until the turn thinks again', async () => {
    await using out = await openOutgoing()
    out.platform.live('42', thinking())
    await out.telegram.waitFor(() => out.chat.actions.length >= 1)
    await out.stage.alone(() =>
      out.platform.deliver('42', { kind: 'card', card: aCard() }, aContext()),
    )
    const before = out.chat.actions.length
    await aWhile()
    expect(out.chat.actions).toHaveLength(before)
    out.platform.live('42', thinking(2))
    await out.telegram.waitFor(() => out.chat.actions.length > before)
  })

  test('goes to the topic', async () => {
    await using out = await openOutgoing()
    const topic = out.forum.topic('Deploys')
    out.platform.live(`-1001/${topic}`, thinking())
    await out.telegram.waitFor(() => out.forum.actions.length >= 1)
    expect(out.forum.actions[0]).toMatchObject({ threadId: topic })
  })
})

describe.concurrent('TG-05 drafts', () => {
  test('stream in private chats where the API has them; the answer is a message of its own', async () => {
    await using out = await openOutgoing(drafts)
    out.platform.live('42', text('one'))
    await out.telegram.waitFor(() => out.chat.draft?.text.text.includes('one'))
    out.platform.live('42', text(' two'))
    await out.telegram.waitFor(() => out.chat.draft?.text.text.includes('one two'))
    expect(out.chat.messages()).toEqual([])
    const ids = new Set(out.chat.drafts.map(({ draftId }) => draftId))
    expect(ids.size).toBe(1)
    expect([...ids][0]).toBeGreaterThan(0)
    await deliverAnswer(out)
    const count = out.chat.drafts.length
    await aWhile()
    expect(out.chat.drafts).toHaveLength(count)
    expect(out.chat.messages()).toMatchObject([{ text: 'all of it', edits: 0 }])
  })

  test('TG-06 LOOP-14 have a Stop button that names their turn', async () => {
    await using out = await openOutgoing(drafts)
    out.platform.live('42', text('one'))
    const draft = await out.telegram.waitFor(() => out.chat.draft)
    expect(draft).toMatchObject({ canStop: true, draftId: turnNumber(turnId) })
    expect(turnNumber(other)).not.toBe(turnNumber(turnId))
  })

  test('TG-06 are shown by a server without that button', async () => {
    await using out = await openOutgoing({ telegram: { drafts: true, lacks: ['can_stop'] } })
    out.platform.live('42', text('one'))
    const draft = await out.telegram.waitFor(() => out.chat.draft)
    expect(draft).toMatchObject({ canStop: false })
  })

  test('are sent again before they expire', async () => {
    await using out = await openOutgoing(drafts)
    out.platform.live('42', text('one'))
    await out.telegram.waitFor(() => out.chat.drafts.length >= 3)
    expect(new Set(out.chat.drafts.map(({ text: { text } }) => text)).size).toBe(1)
  })

  test('are not sent to groups', async () => {
    await using out = await openOutgoing(drafts)
    out.platform.live('-1001', text('one'))
    await out.forum.waitForText('one')
    expect(out.telegram.callsOf('sendMessageDraft')).toEqual([])
  })

  test('are tried once if the API lacks them; then messages are edited', async () => {
    await using out = await openOutgoing()
    out.platform.live('42', text('one'))
    await out.chat.waitForText('one')
    await deliverAnswer(out)
    out.stage.isOver = () => false
    out.stage.messages.clear()
    out.platform.live('42', text('next', 1, other))
    await out.chat.waitForText('next')
    expect(out.telegram.callsOf('sendMessageDraft')).toHaveLength(1)
  })

  test('refused by a chat are given up for that turn only', async () => {
    await using out = await openOutgoing(drafts)
    const description = 'Bad Request: TEXTDRAFT_PEER_INVALID'
    out.telegram.failNext('sendMessageDraft', { kind: 'status', code: 400, description })
    out.platform.live('42', text('one'))
    await out.chat.waitForText('one')
    out.platform.live('42', text(' two'))
    await out.chat.waitForText('one two')
    expect(out.telegram.callsOf('sendMessageDraft')).toHaveLength(1)
    await deliverAnswer(out)
    out.stage.isOver = () => false
    out.stage.messages.clear()
    out.platform.live('42', text('next', 1, other))
    await out.telegram.waitFor(() => out.chat.draft?.text.text.includes('next'))
  })
})

describe.concurrent('APPR-13 the card of a running call', () => {
  const at = '2026-11-21T12:03:00Z'
  const approved: CardStatus = { kind: 'approved', by: 'Ada', at, always: false }
  const running: CardStatus = { kind: 'running', by: 'Ada', at }

  function update(status: CardStatus): Outgoing {
    return { kind: 'card_update', card: aCard({ status }) }
  }

  async function withRunningCard() {
    const out = await openOutgoing()
    await out.platform.deliver('42', { kind: 'card', card: aCard() }, aContext())
    await out.platform.deliver('42', update(running), aContext({ editOf: '1' }))
    return out
  }

  test('LOOP-14 updates its elapsed time, with a Stop button', async () => {
    await using out = await withRunningCard()
    await out.chat.waitForText('running (')
    await out.telegram.waitFor(() => secondsOn(out) > 0)
    const [card] = out.chat.messages()
    expect(card?.buttons.flat().map(({ text }) => text)).toEqual(['Stop'])
    expect(out.stage.asked[0]).toEqual({ kind: 'card', approvalId: aCard().approvalId })
    expect(out.stage.messages.size).toBe(0)
  })

  test('shows the last line of output, and no other message does', async () => {
    await using out = await withRunningCard()
    out.platform.live('42', progress('bash', 'compiling\nlinking\n', 65_000))
    const card = await out.chat.waitForText('linking')
    expect(card.id).toBe(1)
    expect(card.text).toMatch(/1 min ([5-9]|\d\d) s/)
    expect(out.chat.messages()).toHaveLength(1)
  })

  test('does not show output of another tool', async () => {
    await using out = await withRunningCard()
    out.platform.live('42', progress('grep', 'searching', 1_000))
    const pane = await out.chat.waitForText('searching')
    expect(pane.id).toBe(2)
  })

  test('CHAT-04 output that arrives before the card shows its call as running is shown on the card only', async () => {
    await using out = await openOutgoing()
    await out.platform.deliver('42', { kind: 'card', card: aCard() }, aContext())
    await out.platform.deliver('42', update(approved), aContext({ editOf: '1' }))
    out.platform.live('42', progress('bash', 'compiling', 100))
    await aWhile(1_000)
    expect(out.chat.messages()).toHaveLength(1)
    await out.platform.deliver('42', update(running), aContext({ editOf: '1' }))
    const card = await out.chat.waitForText('compiling')
    expect(card.id).toBe(1)
    expect(out.chat.messages()).toHaveLength(1)
  })

  test('CHAT-04 APPR-13 of two approved cards for one tool only the one of the call shows its output', async () => {
    await using out = await openOutgoing()
    const cards = ['first', 'second'].map((callId, index) => {
      return { ...aCard(), callId, approvalId: newId(), number: index + 1 }
    })
    const tell = async (status: CardStatus) => {
      for (const [index, card] of cards.entries()) {
        const message: Outgoing = { kind: 'card_update', card: { ...card, status } }
        await out.platform.deliver('42', message, aContext({ editOf: String(index + 1) }))
      }
    }
    const printed = (callId: string, words: string) =>
      out.platform.live('42', { ...progress('bash', words, 100), callId })
    for (const card of cards) await out.platform.deliver('42', { kind: 'card', card }, aContext())
    await tell(approved)
    printed('first', 'compiling')
    await tell(running)
    expect((await out.chat.waitForText('compiling')).id).toBe(1)
    printed('second', 'linking')
    expect((await out.chat.waitForText('linking')).id).toBe(2)
    printed('first', 'testing')
    expect((await out.chat.waitForText('testing')).id).toBe(1)
    expect(
      out.chat.messages().map(({ text }) => /compiling|linking|testing/.exec(text)?.[0]),
    ).toEqual(['testing', 'linking'])
  })

  test('stops when its outcome is delivered', async () => {
    await using out = await withRunningCard()
    await out.chat.waitForText('running (')
    const outcome = {
      kind: 'finished',
      by: 'Ada',
      outcome: 'exit 0',
      isSuccess: true,
      durationMs: 1_200,
    } as const
    await out.stage.alone(() =>
      out.platform.deliver('42', update(outcome), aContext({ editOf: '1' })),
    )
    const edits = out.chat.messages()[0]?.edits
    await aWhile()
    expect(out.chat.messages()[0]?.edits).toBe(edits)
    expect(out.chat.messages()[0]?.text).toContain('exit 0')
  })

  test('stops when the lock reports that it is over', async () => {
    await using out = await withRunningCard()
    out.stage.isOver = () => true
    await aWhile(1_500)
    expect(out.stage.asked.length).toBeLessThanOrEqual(3)
    expect(out.chat.messages()[0]?.edits).toBe(1)
  })
})

describe.concurrent('THREAT-14 a transient message', () => {
  test.each([
    { kind: 'status', code: 502 },
    { kind: 'status', code: 403, description: 'Forbidden: bot was blocked by the user' },
    { kind: 'drop-after' },
  ] as const)('never throws and logs neither token nor text after %o', async (fault) => {
    await using out = await openOutgoing()
    out.telegram.fault = ({ method }) => (method.startsWith('get') ? undefined : fault)
    out.platform.live('42', thinking())
    out.platform.live('42', text('the words'))
    await out.telegram.waitFor(() => out.telegram.calls.length > 1)
    await aWhile(300)
    expect(JSON.stringify(out.logged)).not.toMatch(/the words|stand-in_token|127\.0\.0\.1/)
  })

  test('survives a failing lock', async () => {
    await using out = await openOutgoing()
    out.stage.isOver = () => {
      throw new Error('the database is away')
    }
    out.platform.live('42', text('one'))
    await expect.poll(() => out.stage.asked.length, { timeout: 20_000 }).toBeGreaterThan(1)
    out.stage.isOver = () => false
    await out.chat.waitForText('one')
    expect(JSON.stringify(out.logged)).not.toContain('one')
  })
})

describe.concurrent('CHAT-04 the view', () => {
  function aView(maxConversations: number) {
    const api = createApi({ token: '1:a', apiRoot: 'http://127.0.0.1:1', timeoutMs: 20_000 })
    return createLiveView({
      messenger: createMessenger(api, english),
      lock: new TestStage(),
      log: silentLog,
      maxConversations,
    })
  }

  test('keeps a bounded number of conversations', async () => {
    await using view = aView(100)
    for (let chat = 1; chat <= 10_000; chat += 1) {
      view.live(String(chat), text('x'.repeat(1_000)))
      view.live(String(chat), thinking())
      view.onDelivered(
        `-${chat}`,
        { kind: 'card_update', card: aCard({ status: { kind: 'running', by: 'Ada' } }) },
        '1',
      )
      view.onBusy(String(chat), 1_000)
    }
    expect(view.size).toBe(100)
  })

  test('keeps nothing for durable messages, or for invalid addresses', async () => {
    await using view = aView(100)
    view.onDelivered('42', answer, '1')
    view.live('../42', text('one'))
    expect(view.size).toBe(0)
  })

  test('shows only the end of a long text', async () => {
    await using out = await openOutgoing()
    for (let part = 0; part < 200; part += 1) {
      out.platform.live('42', text(`line ${part} ${'word '.repeat(200)}\n`))
    }
    const shown = await out.chat.waitForText('line 199')
    expect(shown.text.length).toBeLessThan(4_096)
    expect(shown.text).not.toContain('line 0 ')
  })

  test('shows nothing after it was closed', async () => {
    const out = await openOutgoing()
    await using _telegram = out.telegram
    out.platform.live('42', text('one'))
    await out.chat.waitForText('one')
    out.platform.live('42', text(' two'))
    await out.platform[Symbol.asyncDispose]()
    const calls = out.telegram.calls.length
    out.platform.live('42', text(' three'))
    await aWhile()
    expect(out.telegram.calls).toHaveLength(calls)
  })
})
