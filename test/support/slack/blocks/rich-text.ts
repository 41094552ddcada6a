import { isRecord } from '../params.ts'
import {
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
import { blockId } from './texts.ts'

// https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
const mentionStyle = object(
  {},
  {
    bold: boolean,
    italic: boolean,
    strike: boolean,
    highlight: boolean,
    client_highlight: boolean,
    unlink: boolean,
  },
)
const textStyle = object(
  {},
  { bold: boolean, italic: boolean, strike: boolean, code: boolean, underline: boolean },
)
const id = string(20)
const longest = 40_000

const text = object({ type: oneOf('text'), text: string(longest) }, { style: textStyle })
const link = object(
  { type: oneOf('link'), url: url() },
  { text: string(longest), unsafe: boolean, style: textStyle },
)

const inline: Check = kinds(() => ({
  text,
  link,
  broadcast: object(
    { type: oneOf('broadcast'), range: oneOf('here', 'channel', 'everyone') },
    { style: mentionStyle },
  ),
  color: object({ type: oneOf('color'), value: string(7) }, { style: textStyle }),
  channel: object({ type: oneOf('channel'), channel_id: id }, { style: mentionStyle }),
  date: object(
    { type: oneOf('date'), timestamp: number, format: string(1000) },
    { url: url(), fallback: string(3000), style: textStyle },
  ),
  emoji: object(
    { type: oneOf('emoji'), name: string(100) },
    { unicode: string(100), url: url(), skin_tone: integer(1, 6), style: textStyle },
  ),
  team: object({ type: oneOf('team'), team_id: id }, { style: mentionStyle }),
  user: object({ type: oneOf('user'), user_id: id }, { style: mentionStyle }),
  usergroup: object({ type: oneOf('usergroup'), usergroup_id: id }, { style: mentionStyle }),
}))

const many = 10_000
const border = integer(0, 1)
const section = object({ type: oneOf('rich_text_section'), elements: list(inline, many, 0) })

const element: Check = kinds(() => ({
  rich_text_section: section,
  rich_text_list: object(
    {
      type: oneOf('rich_text_list'),
      style: oneOf('bullet', 'ordered'),
      elements: list(
        kinds(() => ({ rich_text_section: section })),
        many,
      ),
    },
    { indent: integer(0, 8), offset: integer(0, many), border },
  ),
  rich_text_preformatted: object(
    {
      type: oneOf('rich_text_preformatted'),
      elements: list(
        kinds(() => ({ text, link })),
        many,
      ),
    },
    { border, language: string(50) },
  ),
  rich_text_quote: object(
    { type: oneOf('rich_text_quote'), elements: list(inline, many) },
    { border },
  ),
}))

const block = object(
  { type: oneOf('rich_text'), elements: list(element, many) },
  { block_id: blockId },
)

/** A rich_text block, also as it stands within others. */
export const richText: Check = (value, at, problems) => {
  if (isRecord(value) && value['type'] !== 'rich_text') {
    problems.push(problem('must be a rich_text block', at))
    return
  }
  block(value, at, problems)
}
