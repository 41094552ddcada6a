import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createAnsweredThreads } from '../../../../../src/adapters/chat/slack/answered-threads.ts'
import { createApi } from '../../../../../src/adapters/chat/slack/api.ts'
import { connect } from '../../../../../src/adapters/chat/slack/connect.ts'
import { createPeople } from '../../../../../src/adapters/chat/slack/incoming/people.ts'
import { createSendEphemeral } from '../../../../../src/adapters/chat/slack/incoming/send-ephemeral.ts'
import { createEnvelopeTaker } from '../../../../../src/adapters/chat/slack/incoming/take-envelope.ts'
import { createThreads } from '../../../../../src/adapters/chat/slack/incoming/threads.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'
import type { Incoming, TapForm } from '../../../../../src/ports/chat.ts'
import { createSlack } from '../../../../support/slack/slack.ts'
import { MemoryLog } from '../../telegram/incoming/memory-log.ts'
import { RecordingIntake } from '../../telegram/incoming/recording-intake.ts'
import { command, direct, event, submission, tap } from './envelopes.ts'

class FormIntake extends RecordingIntake {
  form: TapForm | undefined
  formOf: (incoming: Incoming) => Promise<TapForm | undefined> = async () => this.form
}

async function openTaker() {
  const slack = await createSlack()
  const ada = slack.user('ada', { id: 'U0ADA00001' })
  const dm = slack.dm(ada)
  const general = slack.channel({ name: 'general', members: [ada] })
  const client = createApi({ token: slack.botToken, apiUrl: slack.apiUrl, timeoutMs: 20_000 })
  const me = await connect(client)
  const intake = new FormIntake()
  const log = new MemoryLog()
  const answered = createAnsweredThreads()
  const sendEphemeral = createSendEphemeral(client, answered, log)
  const threads = createThreads(client, english, log)
  const people = createPeople(client, me)
  const reader = { me, commands: new Set(['status']) }
  const onStopped = () => undefined
  const sides = { people, intake, messages: english, threads, answered, sendEphemeral, onStopped }
  const take = createEnvelopeTaker({ client, reader, ...sides, log })
  const teams = { team_id: me.teamId, team: { id: me.teamId } }
  const user = { id: ada.id, team_id: me.teamId }
  const there = { channel: { id: general.id }, message: undefined }
  return {
    slack,
    ada,
    dm,
    general,
    client,
    intake,
    log,
    take,
    say: (text: string, id = 'Ev1') => ({
      ...direct(text, { channel: dm.id, team: me.teamId }),
      team_id: me.teamId,
      event_id: id,
    }),
    tap: (more = {}) => tap('token-1', { ...teams, user, ...there, ...more }),
    form: (written: string) =>
      submission({ place: general.id, messageId: '1.2', token: 'token-1' }, written, {
        ...teams,
        user,
      }),
    command: (text: string) => command(text, { ...teams, channel_id: general.id }),
    started: (thread: string) => ({
      ...event({
        type: 'assistant_thread_started',
        assistant_thread: { user_id: ada.id, channel_id: dm.id, thread_ts: thread },
      }),
      team_id: me.teamId,
    }),
    whispers: (where: 'dm' | 'general') =>
      ({ dm, general })[where].ephemerals(ada).map(({ text }) => text),
    [Symbol.asyncDispose]: () => slack[Symbol.asyncDispose](),
  }
}

const done = { kind: 'done' }
const kept = { kind: 'kept' }

describe('REL-01 SLACK-01 a message', () => {
  test('is confirmed only after it is stored', async () => {
    await using at = await openTaker()
    expect(await at.take({ body: at.say('hello') })).toEqual(done)
    expect(at.intake.stored).toMatchObject([
      { from: { id: `slack:${at.slack.teamId}:U0ADA00001` }, act: { text: 'hello' } },
    ])
    at.intake.away = () => true
    expect(await at.take({ body: at.say('again', 'Ev2') })).toEqual(kept)
    expect(at.log.having('not stored').join()).not.toMatch(/hunter2|again/)
  })

  test("is left to Slack's retry if the database takes too long, within three seconds", async () => {
    await using at = await openTaker()
    await at.take({ body: at.say('hello') })
    at.intake.committing = () => sleep(4_000)
    at.slack.fault = ({ method }) =>
      method === 'users.info' ? { kind: 'delay', ms: 2_000 } : undefined
    // A timer, not a clock: of two that a busy machine finds due at once the earlier is first.
    const late = sleep(2_900, 'late', { ref: false })
    expect(await Promise.race([at.take({ body: at.say('slow', 'Ev2') }), late])).toEqual(kept)
  })

  test("is left to Slack's retry if Slack does not identify its author", async () => {
    await using at = await openTaker()
    at.slack.fault = ({ method }) =>
      method === 'users.info' ? { kind: 'status', code: 503 } : undefined
    expect(await at.take({ body: at.say('hello') })).toEqual(kept)
    expect(await at.take({ body: at.tap() })).toEqual(kept)
    expect(at.intake.taken).toEqual([])
  })

  test('that is not stored is reported to known people, at the first and last attempt, and never to strangers', async () => {
    await using at = await openTaker()
    at.intake.away = () => true
    await at.take({ body: at.say('a stranger') })
    at.intake.away = () => false
    await at.take({ body: at.say('hello', 'Ev2') })
    at.intake.away = () => true
    for (const retryNum of [0, 1, 2, 3]) await at.take({ body: at.say('again', 'Ev3'), retryNum })
    await expect
      .poll(() => at.whispers('dm'))
      .toEqual([
        'The database is unavailable: Slack delivers your message again for about six minutes.',
        'The database is still unavailable, and Slack gives up: please send your message again later.',
      ])
    at.intake.knows = () => false
    at.intake.away = () => false
    await at.take({ body: at.say('shut out', 'Ev4') })
    at.intake.away = () => true
    await at.take({ body: at.say('again', 'Ev5') })
    expect(at.whispers('dm')).toHaveLength(2)
  })
})

test('CHAT-03 a slash command that was not stored is reported, as it is not repeated', async () => {
  await using at = await openTaker()
  await at.take({ body: at.command('status') })
  at.intake.away = () => true
  expect(await at.take({ body: at.command('status') })).toEqual(kept)
  await expect
    .poll(() => at.whispers('general'))
    .toEqual(['The database is unavailable: nothing was done. Send it again when it is back.'])
})

test('CHAT-02 a tap that was not stored is reported, and a person who may not decide is told, and no one else', async () => {
  await using at = await openTaker()
  at.intake.answer = async () => ({ alert: true, text: 'Only <Ada> can.' }) as never
  await at.take({ body: at.tap() })
  await expect.poll(() => at.whispers('general')).toEqual(['Only &lt;Ada&gt; can.'])
  at.intake.answer = async () => ({ alert: false, text: 'Approved.' }) as never
  await at.take({ body: at.tap() })
  at.intake.away = () => true
  expect(await at.take({ body: at.tap() })).toEqual(done)
  await expect
    .poll(() => at.whispers('general'))
    .toEqual([
      'Only &lt;Ada&gt; can.',
      'The database is unavailable: nothing was done. Tap again when it is back.',
    ])
})

test('SLACK-02 a form that was not stored stays open', async () => {
  await using at = await openTaker()
  at.intake.away = () => true
  expect(await at.take({ body: at.form('no') })).toEqual(kept)
  at.intake.away = () => false
  expect(await at.take({ body: at.form('no') })).toEqual(done)
  expect(at.intake.stored).toMatchObject([{ act: { kind: 'tap', written: 'no' } }])
})

describe('SLACK-02 a tap that asks for a form', () => {
  test('opens it and is not taken yet', async () => {
    await using at = await openTaker()
    at.intake.form = { kind: 'reason', number: 3 }
    const { ts = '' } = await at.client.chat.postMessage({
      channel: at.general.id,
      text: 'card',
      blocks: [
        {
          type: 'actions',
          elements: [
            { type: 'button', value: 'token-1', text: { type: 'plain_text', text: 'Deny' } },
          ],
        },
      ],
    })
    const { triggerId } = at.general.click(at.ada, ts, 'Deny')
    expect(await at.take({ body: at.tap({ trigger_id: triggerId }) })).toEqual(done)
    expect(at.intake.stored).toEqual([])
    expect(at.slack.modals(at.ada).map(({ title }) => title)).toEqual(['Deny approval 3'])
  })

  test('is a denial without a reason if Slack does not open the form', async () => {
    await using at = await openTaker()
    at.intake.form = { kind: 'reason', number: 3 }
    expect(await at.take({ body: at.tap() })).toEqual(done)
    expect(at.intake.stored).toMatchObject([{ act: { kind: 'tap', written: '' } }])
  })

  test('APPR-14 does nothing if Slack does not open the form for an edit, and the person is told', async () => {
    await using at = await openTaker()
    at.intake.form = { kind: 'edit', number: 3, present: 'ls' }
    expect(await at.take({ body: at.tap() })).toEqual(done)
    expect(at.intake.stored).toEqual([])
    await expect
      .poll(() => at.whispers('general'))
      .toEqual(['Slack did not open the form: please tap again.'])
  })
})

test('SLACK-01 a new thread is offered prompts, and named after its first message', async () => {
  await using at = await openTaker()
  const thread = at.slack.assistant(at.ada)
  const said = (text: string, id: string) => {
    const body = at.say(text, id)
    return { ...body, event: { ...body.event, thread_ts: thread.threadTs } }
  }
  expect(await at.take({ body: at.started(thread.threadTs) })).toEqual(done)
  await expect.poll(() => thread.prompts?.prompts.length).toBe(3)
  await at.take({ body: said(`what\nis ${'new '.repeat(40)}`, 'Ev2') })
  await expect.poll(() => thread.title).toMatch(/^what is new new/)
  expect(thread.title?.length).toBeLessThanOrEqual(60)
  await at.take({ body: said('another thing', 'Ev3') })
  expect(at.slack.callsOf('assistant.threads.setTitle')).toHaveLength(1)
})

test('REL-02 an unreadable payload is confirmed, so that it is not repeated, and its text is not logged', async () => {
  await using at = await openTaker()
  const body = at.say('hunter2')
  for (const odd of [null, 7, 'x', [], { ...body, event: { ...body.event, ts: 'hunter2' } }])
    expect(await at.take({ body: odd })).toEqual(done)
  expect(at.intake.taken).toEqual([])
  expect(at.log.having('malformed')).toHaveLength(5)
  expect(at.log.lines.join()).not.toContain('hunter2')
})
