import { expect, test } from 'vitest'
import { setUp } from './set-up.ts'

const plain = (text: string) => ({ type: 'plain_text', text })
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text })
const section = (text: unknown) => ({ type: 'section', text })
const button = (change: object = {}) => ({
  type: 'button',
  action_id: 'a',
  text: plain('x'),
  ...change,
})
const actions = (...elements: unknown[]) => ({ type: 'actions', elements })
const rich = (...elements: unknown[]) => ({ type: 'rich_text', elements })
const text = (change: object = {}) => ({ type: 'text', text: 'x', ...change })
const confirm = { title: plain('x'), text: plain('x'), confirm: plain('x'), deny: plain('x') }
const row = (cells: number, length = 1) =>
  Array(cells).fill({ type: 'raw_text', text: 'x'.repeat(length) })

const taken: readonly (readonly [string, unknown])[] = [
  ['a section at its limit', section(mrkdwn('x'.repeat(3000)))],
  ['fields', { type: 'section', fields: Array(10).fill(mrkdwn('x')) }],
  ['a header', { type: 'header', text: plain('x'.repeat(150)) }],
  [
    '25 buttons',
    actions(...Array.from({ length: 25 }, (_, index) => button({ action_id: `a${index}` }))),
  ],
  [
    'a button with everything',
    actions(button({ value: 'x'.repeat(2000), style: 'danger', confirm })),
  ],
  ['a context', { type: 'context', elements: Array(10).fill(mrkdwn('x')) }],
  ['markdown', { type: 'markdown', text: 'x'.repeat(12_000) }],
  [
    'a table',
    { type: 'table', rows: Array(20).fill(row(20)), column_settings: [{ align: 'right' }] },
  ],
  [
    'rich text',
    rich(
      { type: 'rich_text_section', elements: [text({ style: { bold: true, code: true } })] },
      {
        type: 'rich_text_list',
        style: 'ordered',
        indent: 8,
        elements: [{ type: 'rich_text_section', elements: [text()] }],
      },
      { type: 'rich_text_preformatted', elements: [text()], border: 0 },
      {
        type: 'rich_text_quote',
        elements: [{ type: 'link', url: 'https://example.com', text: 'x' }],
      },
    ),
  ],
  [
    'a task',
    {
      type: 'task_card',
      task_id: '1',
      title: 'x',
      status: 'complete',
      output: rich({ type: 'rich_text_section', elements: [text()] }),
    },
  ],
  [
    'feedback',
    {
      type: 'context_actions',
      elements: [
        {
          type: 'feedback_buttons',
          action_id: 'f',
          positive_button: { text: plain('Good'), value: '1' },
          negative_button: { text: plain('Bad'), value: '0' },
        },
      ],
    },
  ],
]

test.each(taken)('taken: %s', async (_name, block) => {
  await using at = await setUp()
  const { general, call } = at
  const answer = await call('chat.postMessage', { channel: general.id, text: 'x', blocks: [block] })
  expect(answer).toMatchObject({ ok: true })
})

const refused: readonly (readonly [string, unknown, string])[] = [
  [
    'a long section',
    section(mrkdwn('x'.repeat(3001))),
    'must be less than 3001 characters [json-pointer:/blocks/0/text/text]',
  ],
  [
    'an empty section',
    section(mrkdwn('')),
    'must be more than 0 characters [json-pointer:/blocks/0/text/text]',
  ],
  [
    'a section of nothing',
    { type: 'section' },
    'missing required field: text [json-pointer:/blocks/0]',
  ],
  [
    'a long header',
    { type: 'header', text: plain('x'.repeat(151)) },
    'must be less than 151 characters [json-pointer:/blocks/0/text/text]',
  ],
  [
    'a header of mrkdwn',
    { type: 'header', text: mrkdwn('x') },
    'unsupported type: mrkdwn [json-pointer:/blocks/0/text/type]',
  ],
  [
    '26 buttons',
    actions(...Array.from({ length: 26 }, (_, index) => button({ action_id: `a${index}` }))),
    'no more than 25 items allowed [json-pointer:/blocks/0/elements]',
  ],
  ['no buttons', actions(), 'no less than 1 items allowed [json-pointer:/blocks/0/elements]'],
  ['twins', actions(button(), button()), '`action_id` "a" already exists [json-pointer:/blocks/0]'],
  [
    'a long label',
    actions(button({ text: plain('x'.repeat(76)) })),
    'must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]',
  ],
  [
    'a long value',
    actions(button({ value: 'x'.repeat(2001) })),
    'must be less than 2001 characters [json-pointer:/blocks/0/elements/0/value]',
  ],
  [
    'a long action id',
    actions(button({ action_id: 'x'.repeat(256) })),
    'must be less than 256 characters [json-pointer:/blocks/0/elements/0/action_id]',
  ],
  [
    'another style',
    actions(button({ style: 'success' })),
    'value must be one of: primary, danger [json-pointer:/blocks/0/elements/0/style]',
  ],
  [
    'an unknown field',
    actions(button({ colour: 'red' })),
    'invalid additional property: colour [json-pointer:/blocks/0/elements/0]',
  ],
  [
    'a long confirmation',
    actions(button({ confirm: { ...confirm, text: plain('x'.repeat(301)) } })),
    'must be less than 301 characters [json-pointer:/blocks/0/elements/0/confirm/text/text]',
  ],
  [
    '11 in a context',
    { type: 'context', elements: Array(11).fill(mrkdwn('x')) },
    'no more than 10 items allowed [json-pointer:/blocks/0/elements]',
  ],
  ['an unknown block', { type: 'other' }, 'unsupported type: other [json-pointer:/blocks/0/type]'],
  [
    'long markdown',
    { type: 'markdown', text: 'x'.repeat(12_001) },
    'must be less than 12001 characters [json-pointer:/blocks/0/text]',
  ],
  [
    'a wide table',
    { type: 'table', rows: [row(21)] },
    'no more than 20 items allowed [json-pointer:/blocks/0/rows/0]',
  ],
  [
    'a long table',
    { type: 'table', rows: Array(101).fill(row(1)) },
    'no more than 100 items allowed [json-pointer:/blocks/0/rows]',
  ],
  [
    'a full table',
    { type: 'table', rows: [row(2, 5001)] },
    'table must be less than 10001 characters [json-pointer:/blocks]',
  ],
  [
    'a deep list',
    rich({
      type: 'rich_text_list',
      style: 'bullet',
      indent: 9,
      elements: [{ type: 'rich_text_section', elements: [text()] }],
    }),
    'must be between 0 and 8 [json-pointer:/blocks/0/elements/0/indent]',
  ],
  [
    'a list in a quote',
    rich({
      type: 'rich_text_quote',
      elements: [{ type: 'rich_text_list', style: 'bullet', elements: [] }],
    }),
    'unsupported type: rich_text_list [json-pointer:/blocks/0/elements/0/elements/0/type]',
  ],
  [
    'a mention in code',
    rich({ type: 'rich_text_preformatted', elements: [{ type: 'user', user_id: 'U1' }] }),
    'unsupported type: user [json-pointer:/blocks/0/elements/0/elements/0/type]',
  ],
  [
    'empty rich text',
    rich({ type: 'rich_text_section', elements: [text({ text: '' })] }),
    'must be more than 0 characters [json-pointer:/blocks/0/elements/0/elements/0/text]',
  ],
  [
    'an unknown style of text',
    rich({ type: 'rich_text_section', elements: [text({ style: { red: true } })] }),
    'invalid additional property: red [json-pointer:/blocks/0/elements/0/elements/0/style]',
  ],
  [
    'a link to nowhere',
    rich({ type: 'rich_text_section', elements: [{ type: 'link', url: 'nowhere' }] }),
    'invalid url [json-pointer:/blocks/0/elements/0/elements/0/url]',
  ],
]

test.each(refused)('refused: %s', async (_name, block, problem) => {
  await using at = await setUp()
  const { general, call } = at
  const answer = await call('chat.postMessage', { channel: general.id, text: 'x', blocks: [block] })
  expect(answer).toMatchObject({
    error: 'invalid_blocks',
    errors: expect.arrayContaining([problem]),
    response_metadata: { messages: expect.arrayContaining([`[ERROR] ${problem}`]) },
  })
  expect(general.messages()).toEqual([])
})

test('blocks are counted together', async () => {
  await using at = await setUp()
  const { general, call } = at
  const send = async (blocks: unknown) =>
    (await call('chat.postMessage', { channel: general.id, text: 'x', blocks })).error
  const divider = { type: 'divider' }
  expect(await send(Array(50).fill(divider))).toBeUndefined()
  expect(await send(Array(51).fill(divider))).toBe('invalid_blocks')
  expect(
    await send([
      { ...divider, block_id: 'b' },
      { ...divider, block_id: 'b' },
    ]),
  ).toBe('invalid_blocks')
  expect(await send(Array(2).fill({ type: 'markdown', text: 'x'.repeat(6001) }))).toBe(
    'invalid_blocks',
  )
  expect(await send(Array(5).fill(section(mrkdwn('x'.repeat(3000)))))).toBe('msg_blocks_too_long')
  const table = { type: 'table', rows: [row(1)] }
  const drawn = { type: 'markdown', text: '| a |\n| - |\n| 1 |' }
  const shown = { type: 'markdown', text: '```\n| a |\n| - |\n```' }
  expect(await send([table, drawn])).toBe('invalid_attachments')
  expect(await send([drawn, drawn])).toBe('invalid_attachments')
  expect(await send([drawn, shown])).toBeUndefined()
  expect(await send('[{')).toBe('invalid_blocks_format')
  expect(await send({ type: 'divider' })).toBe('invalid_blocks_format')
})
