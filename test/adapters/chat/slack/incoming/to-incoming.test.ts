import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Envelope,
  readEnvelope,
} from '../../../../../src/adapters/chat/slack/incoming/read-envelope.ts'
import '../../../../support/run/fuzz-seed.ts'
import { anyCharacter } from '../../../../support/run/any-character.ts'
import { ada, command, direct, event, me, mention, reader, submission, tap } from './envelopes.ts'

function read(body: unknown): Envelope {
  return readEnvelope(body, reader)
}

function incoming(body: unknown) {
  const envelope = read(body)
  if (envelope.kind !== 'act') throw new Error(`${envelope.kind}: ${JSON.stringify(envelope)}`)
  return { ...envelope.toIncoming(ada), via: envelope.via }
}

describe('SLACK-01 a message', () => {
  test('in a direct message is for the bot, and private', () => {
    expect(incoming(direct('hi &lt;b&gt;'))).toEqual({
      platform: 'slack',
      externalId: `${me.teamId}:Ev0001`,
      place: 'D0ADA00001',
      isPrivate: true,
      from: ada,
      act: { kind: 'message', text: 'hi <b>' },
      via: 'event',
    })
    const thread = { thread_ts: '1800000000.000050' }
    expect(incoming(direct('hi', thread)).place).toBe('D0ADA00001/1800000000.000050')
  })

  test('in a channel is for the bot if it mentions it, and its thread is the conversation', () => {
    expect(incoming(mention('what is new?'))).toMatchObject({
      place: 'C0GENERAL1/1800000000.000100',
      isPrivate: false,
      act: { kind: 'message', text: 'what is new?' },
    })
    const thread = { thread_ts: '1800000000.000050' }
    expect(incoming(mention('and?', thread)).place).toBe('C0GENERAL1/1800000000.000050')
  })

  test('CHAT-07 has its files, also without text; for a file of another organisation only the id', () => {
    const url = 'https://files.slack.com/files-pri/T1-F1/a.pdf'
    const whole = {
      id: 'F1',
      name: 'a.pdf',
      mimetype: 'application/pdf',
      size: 7,
      url_private: url,
    }
    const asked = { ...whole, id: 'F2', file_access: 'check_file_info' }
    const files = [whole, asked, { id: 'F3' }, { id: 'no id' }, 7]
    const { act } = incoming(direct('', { files, subtype: 'file_share' }))
    const kind = { mediaType: 'application/pdf', bytes: 7 }
    expect(act).toEqual({
      kind: 'message',
      text: '',
      files: [
        { name: 'a.pdf', ...kind, reference: JSON.stringify({ id: 'F1', url, ...kind }) },
        { name: 'a.pdf', ...kind, reference: JSON.stringify({ id: 'F2', ...kind }) },
        { name: 'F3', reference: JSON.stringify({ id: 'F3' }) },
      ],
    })
  })

  test('CHAT-07 with unreadable entries as files says that they are not read', () => {
    expect(incoming(direct('', { files: [{}], subtype: 'file_share' })).act).toEqual({
      kind: 'message',
      text: '',
      unread: 'file',
    })
  })

  test.each<[string, unknown]>([
    ['of a channel that mentions nobody', direct('hi', { channel: 'C0GENERAL1' })],
    ['of several people', direct('hi', { channel: 'G0GROUP001', channel_type: 'mpim' })],
    ['of a bot', direct('hi', { bot_id: 'B1' })],
    ['of nobody', direct('hi', { user: undefined })],
    ['of ours', direct('hi', { user: me.userId })],
    ['that was edited', direct('hi', { subtype: 'message_changed' })],
    ['of a bot’s kind', direct('hi', { subtype: 'bot_message' })],
    ['without words', mention('')],
    ['of another workspace', { ...direct('hi'), team_id: 'T0OTHER001' }],
    ['of another type', event({ type: 'reaction_added' })],
  ])('%s is left alone', (_name, body) => {
    expect(read(body).kind).toBe('ignored')
  })

  test("CHAT-01 of a shared channel has the author's team that Slack names", () => {
    const body = mention('hi', { user_team: 'T0OTHER001', team: me.teamId })
    expect(read(body)).toMatchObject({ kind: 'act', team: 'T0OTHER001' })
  })
})

test("SLACK-01 a thread opened on the app's page is reported", () => {
  const thread = { user_id: 'U0ADA00001', channel_id: 'D0ADA00001', thread_ts: '1.1' }
  expect(read(event({ type: 'assistant_thread_started', assistant_thread: thread }))).toEqual({
    kind: 'thread_started',
    channel: 'D0ADA00001',
    thread: '1.1',
  })
})

describe('SLACK-02 a tap', () => {
  test('has the address of its message, its token, and whether the button is present', () => {
    expect(incoming(tap('token-1'))).toEqual({
      platform: 'slack',
      externalId: `${me.teamId}:tap:1.2.three`,
      place: 'C0GENERAL1/1800000000.000100',
      isPrivate: false,
      from: ada,
      act: { kind: 'tap', token: 'token-1', messageId: '1800000000.000200', isThere: true },
      via: 'tap',
    })
  })

  test('THREAT-8 on a button that the message lacks says so; without the message it says nothing', () => {
    const message = { ts: '1.2', blocks: [{ elements: [{ value: 'another' }] }] }
    expect(incoming(tap('token-1', { message })).act).toMatchObject({ isThere: false })
    expect(incoming(tap('token-1', { message: undefined })).act).not.toHaveProperty('isThere')
  })

  test('without a value is not for the bot', () => {
    const actions = [{ type: 'button', action_id: 'x', action_ts: '1.1' }]
    expect(read(tap('', { actions })).kind).toBe('ignored')
  })
})

test('SLACK-02 a submitted form is the tap that opened it, with the text', () => {
  const behind = { place: 'C0GENERAL1/1.1', messageId: '1.2', token: 'token-1' }
  expect(incoming(submission(behind, 'too <b> risky'))).toMatchObject({
    externalId: `${me.teamId}:form:V0001`,
    place: 'C0GENERAL1/1.1',
    act: { kind: 'tap', token: 'token-1', messageId: '1.2', written: 'too <b> risky' },
    via: 'form',
  })
  expect(incoming(submission(behind, null)).act).toMatchObject({ written: '' })
  expect(incoming(submission({ ...behind, token: 'a\0b' }, 'a\0b')).act).toMatchObject({
    token: expect.not.stringContaining('\0'),
    written: expect.not.stringContaining('\0'),
  })
  const others = ['', '{', '7', 'null', '[]', { place: 'C1' }, { ...behind, more: 1 }]
  for (const other of [...others, { ...behind, place: '../x' }])
    expect(read(submission(other, 'x')).kind, JSON.stringify(other)).toBe('ignored')
})

test.each([
  ['', '/help'],
  ['status', '/status'],
  ['/status now', '/status now'],
  ['approve 3', '/approve 3'],
  ['statuses', 'statuses'],
  ['what is &lt;b&gt;?', 'what is <b>?'],
  ['/etc/passwd', '/etc/passwd'],
])('CHAT-03 the slash command with %j becomes %j', (written, text) => {
  expect(incoming(command(written))).toMatchObject({
    externalId: `${me.teamId}:command:1.2.four`,
    place: 'C0GENERAL1',
    act: { kind: 'message', text },
    via: 'command',
  })
})

const behind = { place: 'C0GENERAL1/1.1', messageId: '1.2', token: 'token-1' }
const real: readonly object[] = [
  direct('hello', { thread_ts: '1.1', files: [] }),
  mention('hello', { user_team: me.teamId }),
  event({
    type: 'assistant_thread_started',
    assistant_thread: { user_id: 'U0ADA00001', channel_id: 'D0ADA00001', thread_ts: '1.1' },
  }),
  tap('token-1'),
  submission(behind, 'why'),
  command('status'),
]

interface Change {
  readonly at: number
  readonly value: unknown
  readonly isRemoval: boolean
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  value: fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(null, -1, 1e300, '', [], {}, 'U0ADA00001', 'D1', '1.1', 'a\0b'),
    fc.string({ unit: anyCharacter }),
  ),
  isRemoval: fc.boolean(),
})

const mutated = fc
  .tuple(fc.constantFrom(...real), fc.array(change, { maxLength: 4 }))
  .map(([body, changes]) => changes.reduce(mutate, structuredClone(body)))

function mutate(body: object, { at, value, isRemoval }: Change): object {
  const places = placesIn(body)
  const place = places[at % places.length]
  if (place === undefined) return body
  if (isRemoval) Reflect.deleteProperty(place.owner, place.key)
  else Reflect.set(place.owner, place.key, structuredClone(value))
  return body
}

function placesIn(value: unknown): readonly { owner: object; key: string }[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    { owner: value, key },
    ...placesIn(inner),
  ])
}

function assertSound(envelope: Envelope): void {
  if (envelope.kind === 'thread_started') return
  if (envelope.kind !== 'act') {
    expect(envelope.why).toMatch(/^[\w .:…]+$/)
    return
  }
  expect(envelope.userId).toMatch(/^[UW][A-Z0-9]+$/)
  const { externalId, place, isPrivate, act } = envelope.toIncoming(ada)
  expect(externalId.startsWith(`${me.teamId}:`)).toBe(true)
  expect(place).toMatch(/^[CDG][A-Z0-9]+(\/\d+\.\d+)?$/)
  expect(isPrivate).toBe(envelope.via !== 'command' && place.startsWith('D'))
  if (act.kind === 'stop') return
  const words = act.kind === 'tap' ? [act.token, act.written ?? ''] : [act.text]
  for (const word of words) expect(word.isWellFormed() && !word.includes('\0')).toBe(true)
}

describe('REL-02 foreign input', () => {
  test('is parsed without an error, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => assertSound(read(body))),
      { numRuns: 2_000 },
    )
  })

  test('is parsed without an error, for any change of real payloads', () => {
    let acts = 0
    fc.assert(
      fc.property(mutated, (body) => {
        const envelope = read(body)
        if (envelope.kind === 'act') acts += 1
        assertSound(envelope)
      }),
      { numRuns: 3_000, interruptAfterTimeLimit: 2_000 },
    )
    // A busy machine reaches fewer within the time of a property.
    expect(acts).toBeGreaterThan(5)
  })
})

test('SLACK-01 REL-02 unreadable parts next to a tap, a form or a file do not affect it', () => {
  const message = (blocks: unknown) => ({ ts: '1800000000.000200', blocks })
  const button = { elements: [null, 7, { type: 'button', value: 'token-1' }] }
  const [action] = tap('token-1').actions
  const beside = { actions: [action, 7, { value: {} }] }
  for (const blocks of [['x', { elements: 'y' }, button], [button]])
    expect(incoming(tap('token-1', { ...beside, message: message(blocks) })).act).toMatchObject({
      kind: 'tap',
      isThere: true,
    })
  expect(incoming(tap('token-1', { message: message('none') })).act).not.toHaveProperty('isThere')
  const form = submission(behind, 'why')
  const values = { ...form.view.state.values, another: { field: { value: 7 } }, third: 'x' }
  expect(incoming({ ...form, view: { ...form.view, state: { values } } }).act).toMatchObject({
    written: 'why',
  })
  const files = [null, 'F1', { id: 'f1' }, { id: 'F0FILE0001', name: 'a.txt', size: 'x' }]
  expect(incoming(direct('see', { files })).act).toMatchObject({
    text: 'see',
    files: [{ name: 'a.txt' }],
  })
})

test('REL-02 ids that cannot be stored are refused, so that nothing is retried for them', () => {
  for (const id of ['a\0b', '\ud800', '', 'x'.repeat(201)]) {
    expect(read({ ...direct('hello'), event_id: id }).kind).toBe('malformed')
    expect(read(tap('token-1', { trigger_id: id })).kind).toBe('malformed')
    expect(read(command('status', { trigger_id: id })).kind).toBe('malformed')
  }
})

describe('SLACK-05 LOOP-14 Slack’s own Stop button', () => {
  const stopped = (more = {}) => {
    const where = { user: 'U0ADA00001', channel: 'C0GENERAL1', thread_ts: '1800000000.000050' }
    return event({ type: 'agent_session_stopped', streaming_message_ts: [], ...where, ...more })
  }

  test('stops what ran in its thread when it was tapped', () => {
    expect(incoming(stopped({ event_ts: '1800000007.123456' }))).toMatchObject({
      externalId: `${me.teamId}:Ev0001`,
      place: 'C0GENERAL1/1800000000.000050',
      act: { kind: 'stop', pressedAt: 1_800_000_007_123 },
    })
    expect(incoming(stopped()).act).toEqual({ kind: 'stop' })
    expect(read(stopped({ event_ts: 'soon' })).kind).toBe('malformed')
  })
})
