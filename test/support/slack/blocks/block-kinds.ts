import { isRecord } from '../params.ts'
import {
  accessory,
  actionElement,
  button,
  feedbackButtons,
  iconButton,
  image,
  inputElement,
} from './elements.ts'
import { richText } from './rich-text.ts'
import {
  all,
  boolean,
  type Check,
  integer,
  kinds,
  list,
  number,
  object,
  oneOf,
  problem,
  string,
  url,
} from './schema.ts'
import { anyText, blockId, mrkdwn, plainText } from './texts.ts'

const id = { block_id: blockId }

// https://docs.slack.dev/reference/block-kit/blocks/section-block
const section: Check = all(
  object(
    { type: oneOf('section') },
    {
      ...id,
      text: anyText(3000),
      fields: list(anyText(2000), 10),
      accessory,
      expand: boolean,
    },
  ),
  (value, at, problems) => {
    if (isRecord(value) && value['text'] === undefined && value['fields'] === undefined) {
      problems.push(problem('missing required field: text', at))
    }
  },
)

const actions = object({ type: oneOf('actions'), elements: list(actionElement, 25) }, id)

const imageBlock = object(
  { type: oneOf('image'), alt_text: string(2000) },
  {
    ...id,
    title: plainText(2000),
    image_url: url(),
    slack_file: object({}, { id: string(20), url: url() }),
  },
)

const context = object(
  {
    type: oneOf('context'),
    elements: list(
      kinds(() => ({ image, plain_text: plainText(3000), mrkdwn: mrkdwn(3000) })),
      10,
    ),
  },
  id,
)

const contextActions = object(
  {
    type: oneOf('context_actions'),
    elements: list(
      kinds(() => ({ feedback_buttons: feedbackButtons, icon_button: iconButton })),
      5,
    ),
  },
  id,
)

const input = object(
  { type: oneOf('input'), label: plainText(2000), element: inputElement },
  { ...id, hint: plainText(2000), optional: boolean, dispatch_action: boolean },
)

const cell: Check = kinds(() => ({
  raw_text: object({ type: oneOf('raw_text'), text: string(10_000) }),
  raw_number: object({ type: oneOf('raw_number'), value: number, text: string(10_000) }),
  rich_text: richText,
}))

// https://docs.slack.dev/reference/block-kit/blocks/table-block
const table = object(
  { type: oneOf('table'), rows: list(list(cell, 20), 100) },
  {
    ...id,
    column_settings: list((value, at, problems) => {
      if (value === null) return
      const fields = { align: oneOf('left', 'center', 'right'), is_wrapped: boolean }
      object({}, fields)(value, at, problems)
    }, 20),
  },
)

// https://docs.slack.dev/reference/block-kit/blocks/data-table-block
const dataTable = object(
  { type: oneOf('data_table'), rows: list(list(cell, 20), 101, 2), caption: string(3000) },
  { ...id, page_size: integer(1, 100), row_header_column_index: integer(0, 19) },
)

const source = object({ type: oneOf('url'), url: url(), text: string(3000) })
const taskStatus = oneOf('pending', 'in_progress', 'complete', 'error')

// https://docs.slack.dev/reference/block-kit/blocks/task-card-block
const taskCard = object(
  { type: oneOf('task_card'), task_id: string(255), title: string(3000), status: taskStatus },
  { ...id, details: richText, output: richText, sources: list(source, 100, 0) },
)

const plan = object(
  { type: oneOf('plan'), title: string(3000) },
  { ...id, tasks: list(taskCard, 50, 0) },
)

const card = all(
  object(
    { type: oneOf('card') },
    {
      ...id,
      hero_image: image,
      icon: image,
      title: mrkdwn(150),
      subtitle: mrkdwn(150),
      body: mrkdwn(200),
      actions: list(button, 5),
    },
  ),
  (value, at, problems) => {
    const wanted = ['hero_image', 'title', 'actions', 'body']
    if (isRecord(value) && wanted.every((name) => value[name] === undefined)) {
      problems.push(problem(`one of the fields is required: ${wanted.join(', ')}`, at))
    }
  },
)

const alert = object(
  { type: oneOf('alert'), text: anyText(3000) },
  { ...id, level: oneOf('default', 'info', 'warning', 'error', 'success') },
)

const everywhere = {
  actions,
  context,
  divider: object({ type: oneOf('divider') }, id),
  // https://docs.slack.dev/reference/block-kit/blocks/header-block
  header: object({ type: oneOf('header'), text: plainText(150) }, id),
  image: imageBlock,
  input,
  rich_text: richText,
  section,
  alert,
}

const child: Check = kinds(() => ({ ...everywhere, table }))

const container = object(
  { type: oneOf('container'), child_blocks: list(child, 10) },
  {
    ...id,
    title: plainText(150),
    rich_text_title: richText,
    subtitle: anyText(150),
    width: oneOf('narrow', 'standard', 'wide', 'full'),
    icon: image,
    is_collapsible: boolean,
    default_collapsed: boolean,
    has_header_divider: boolean,
  },
)

/** What a message may hold. */
export const messageBlock: Check = kinds(() => ({
  ...everywhere,
  card,
  carousel: object({ type: oneOf('carousel'), elements: list(card, 10) }, id),
  container,
  context_actions: contextActions,
  data_table: dataTable,
  // https://docs.slack.dev/reference/block-kit/blocks/markdown-block
  markdown: object({ type: oneOf('markdown'), text: string(12_000) }, id),
  plan,
  table,
  task_card: taskCard,
}))

/** What a modal may hold. */
export const viewBlock: Check = kinds(() => everywhere)
