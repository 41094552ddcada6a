import type { types } from '@slack/bolt'
import { expect, test } from 'vitest'
import { listenTo, type SetUp, setUp } from './set-up.ts'

const reason: types.ModalView = {
  type: 'modal',
  title: { type: 'plain_text', text: 'Deny' },
  submit: { type: 'plain_text', text: 'Deny' },
  callback_id: 'deny',
  private_metadata: 'token',
  blocks: [
    {
      type: 'input',
      block_id: 'reason',
      optional: true,
      label: { type: 'plain_text', text: 'Reason' },
      element: { type: 'plain_text_input', action_id: 'words', multiline: true, max_length: 20 },
    },
  ],
}

async function clicked({ web, ada, general }: SetUp): Promise<string> {
  const element = {
    type: 'button' as const,
    action_id: 'x',
    text: { type: 'plain_text' as const, text: 'Deny' },
  }
  const blocks = [{ type: 'actions' as const, elements: [element] }]
  const { ts } = await web.chat.postMessage({ channel: general.id, text: 'card', blocks })
  const click = general.click(ada, String(ts), 'Deny')
  await click.outcome
  return click.triggerId
}

test('a modal opens for who clicked, is filled in and closes when nothing is wrong', async () => {
  await using at = await setUp()
  const { slack, web, ada } = at
  await using app = await listenTo(slack)
  const trigger_id = await clicked(at)
  const { view } = await web.views.open({ trigger_id, view: reason })
  const modal = await slack.waitForModal(ada)
  expect(modal).toMatchObject({ id: view?.id, title: 'Deny', text: 'Reason', isOpen: true })
  expect(modal.fields).toMatchObject([{ label: 'Reason', blockId: 'reason', maxLength: 20 }])
  await expect(modal.submit({ Reason: 'x'.repeat(21) })).rejects.toThrow('too long')
  await modal.submit({ Reason: 'too risky' })
  expect(modal.isOpen).toBe(false)
  expect(app.heard.at(-1)?.body).toMatchObject({
    type: 'view_submission',
    user: { id: ada.id, team_id: slack.teamId },
    view: {
      id: view?.id,
      callback_id: 'deny',
      private_metadata: 'token',
      state: { values: { reason: { words: { type: 'plain_text_input', value: 'too risky' } } } },
    },
  })
})

test('a modal shows what is wrong, another version, and another on top', async () => {
  await using at = await setUp()
  const { slack, web, ada } = at
  const answers: unknown[] = [
    { response_action: 'errors', errors: { reason: 'say more' } },
    {
      response_action: 'update',
      view: { ...reason, title: { type: 'plain_text', text: 'Again' } },
    },
    { response_action: 'push', view: { ...reason, title: { type: 'plain_text', text: 'Top' } } },
    { response_action: 'clear' },
  ]
  await using _app = await listenTo(slack, (heard) =>
    heard.ack(heard.body['type'] === 'view_submission' ? answers.shift() : undefined),
  )
  await web.views.open({ trigger_id: await clicked(at), view: reason })
  const modal = await slack.waitForModal(ada)
  await modal.submit()
  expect(modal.errors).toEqual({ reason: 'say more' })
  await modal.submit()
  expect([modal.title, modal.errors]).toEqual(['Again', {}])
  await modal.submit()
  expect(slack.modals(ada).map(({ title }) => title)).toEqual(['Again', 'Top'])
  await slack.modals(ada)[1]?.submit()
  expect(slack.modals(ada)).toEqual([])
})

test('errors that name no field of the modal are refused', async () => {
  await using at = await setUp()
  const { slack, web, ada } = at
  await using _app = await listenTo(slack, (heard) =>
    heard.ack({ response_action: 'errors', errors: { other: 'x' } }),
  )
  await web.views.open({ trigger_id: await clicked(at), view: reason })
  const modal = await slack.waitForModal(ada)
  await expect(modal.submit()).rejects.toThrow('invalid_errors')
})

test('the app hears that a modal was closed only when it asked to', async () => {
  await using at = await setUp()
  const { slack, web, ada } = at
  await using app = await listenTo(slack)
  await web.views.open({ trigger_id: await clicked(at), view: reason })
  expect(await (await slack.waitForModal(ada)).close()).toBeUndefined()
  await web.views.open({
    trigger_id: await clicked(at),
    view: { ...reason, notify_on_close: true },
  })
  await (await slack.waitForModal(ada)).close()
  expect(app.heard.at(-1)?.body).toMatchObject({ type: 'view_closed', is_cleared: false })
})

test('a trigger opens one modal, and not for long', async () => {
  let now = 1_800_000_000_000
  await using at = await setUp({ now: () => now })
  const { slack, web, call } = at
  await using _app = await listenTo(slack)
  const first = await clicked(at)
  await web.views.open({ trigger_id: first, view: reason })
  expect(await call('views.open', { trigger_id: first, view: reason })).toMatchObject({
    error: 'exchanged_trigger_id',
  })
  const second = await clicked(at)
  now += 3001
  expect(await call('views.open', { trigger_id: second, view: reason })).toMatchObject({
    error: 'expired_trigger_id',
  })
  expect(await call('views.open', { trigger_id: 'x', view: reason })).toMatchObject({
    error: 'invalid_trigger_id',
  })
})

test('a modal is changed while it is open and its hash is the last one', async () => {
  await using at = await setUp()
  const { slack, web, ada, call } = at
  await using _app = await listenTo(slack)
  const { view } = await web.views.open({ trigger_id: await clicked(at), view: reason })
  const changed = { ...reason, title: { type: 'plain_text', text: 'Later' } }
  const update = { view_id: view?.id, view: changed, hash: view?.hash }
  expect(await call('views.update', update)).toMatchObject({ ok: true })
  expect(await call('views.update', update)).toMatchObject({ error: 'hash_conflict' })
  const modal = await slack.waitForModal(ada)
  expect(modal.versions.map(({ title }) => title.text)).toEqual(['Deny', 'Later'])
  await modal.close()
  expect(await call('views.update', { view_id: view?.id, view: changed })).toMatchObject({
    error: 'not_found',
  })
})

test.each([
  [
    'a long title',
    { title: { type: 'plain_text', text: 'x'.repeat(25) } },
    'must be less than 25 characters [json-pointer:/view/title/text]',
  ],
  [
    'a long button',
    { submit: { type: 'plain_text', text: 'x'.repeat(25) } },
    'must be less than 25 characters [json-pointer:/view/submit/text]',
  ],
  [
    'a question without a button',
    { submit: undefined },
    'missing required field: submit [json-pointer:/view]',
  ],
  [
    'long metadata',
    { private_metadata: 'x'.repeat(3001) },
    'must be less than 3001 characters [json-pointer:/view/private_metadata]',
  ],
  [
    'a long callback id',
    { callback_id: 'x'.repeat(256) },
    'must be less than 256 characters [json-pointer:/view/callback_id]',
  ],
  [
    'a block of messages',
    { blocks: [{ type: 'markdown', text: 'x' }] },
    'unsupported type: markdown [json-pointer:/view/blocks/0/type]',
  ],
  [
    '101 blocks',
    { blocks: Array(101).fill({ type: 'divider' }) },
    'no more than 100 items allowed [json-pointer:/view/blocks]',
  ],
])('a modal with %s is refused', async (_name, change, problem) => {
  await using at = await setUp()
  const { slack, call } = at
  await using _app = await listenTo(slack)
  const trigger_id = await clicked(at)
  expect(await call('views.open', { trigger_id, view: { ...reason, ...change } })).toMatchObject({
    error: 'invalid_arguments',
    response_metadata: { messages: expect.arrayContaining([`[ERROR] ${problem}`]) },
  })
})
