import { checkBlocks } from '../blocks/check-blocks.ts'
import { textOf } from '../blocks/plain-text.ts'
import { list, object, oneOf, string, url } from '../blocks/schema.ts'
import { withIds } from '../blocks/with-ids.ts'
import { Refusal, refusalWith } from '../limits/refusal.ts'
import type { Block } from '../messages.ts'
import { isRecord, type Params } from '../params.ts'
import { mostMarkdown } from './content.ts'

// https://docs.slack.dev/reference/methods/chat.appendStream
const source = object({ type: oneOf('url'), url: url(), text: string(3000) })
const kinds = {
  markdown_text: object({ type: oneOf('markdown_text'), text: string(mostMarkdown) }),
  plan_update: object({ type: oneOf('plan_update'), title: string(256) }),
  task_update: object(
    {
      type: oneOf('task_update'),
      id: string(255),
      title: string(256),
      status: oneOf('pending', 'in_progress', 'complete', 'error'),
    },
    { details: string(3000, 0), output: string(3000, 0), sources: list(source, 100, 0) },
  ),
} as const

const mostBlocks = 50

/** What goes to the end of a streamed message, from `markdown_text` and `chunks`. */
export function readChunks(params: Params): readonly Record<string, unknown>[] {
  const format = () => new Refusal('invalid_chunks')
  const markdown = params.text('markdown_text')
  if ((markdown?.length ?? 0) > mostMarkdown) throw new Refusal('msg_too_long')
  const chunks = params.json('chunks', format) ?? []
  if (!Array.isArray(chunks) || !chunks.every(isRecord)) throw format()
  for (const [index, chunk] of chunks.entries()) checkChunk(chunk, index)
  return [...(markdown === undefined ? [] : [{ type: 'markdown_text', text: markdown }]), ...chunks]
}

function checkChunk(chunk: Record<string, unknown>, index: number): void {
  const { type } = chunk
  if (type === 'blocks') {
    if (!Array.isArray(chunk['blocks'])) throw new Refusal('invalid_chunks')
    if (chunk['blocks'].length > mostBlocks) throw new Refusal('msg_blocks_too_many')
    checkBlocks(chunk['blocks'])
    return
  }
  const known = typeof type === 'string' && Object.hasOwn(kinds, type)
  if (!known) throw refusalWith('invalid_chunks', [`unsupported type: ${String(type)}`])
  const problems: string[] = []
  kinds[type as keyof typeof kinds](chunk, `/chunks/${index}`, problems)
  if (problems.length > 0) throw refusalWith('invalid_chunks', problems)
}

/** The blocks of a streamed message with more at their end. */
export function grow(
  blocks: readonly Block[],
  chunks: readonly Record<string, unknown>[],
): readonly Block[] {
  const grown = structuredClone(blocks) as unknown as Record<string, unknown>[]
  for (const chunk of chunks) append(grown, chunk)
  return withIds(grown)
}

function append(blocks: Record<string, unknown>[], chunk: Record<string, unknown>): void {
  const { type, ...fields } = chunk
  const last = blocks.at(-1)
  if (type === 'blocks') {
    blocks.push(...(fields['blocks'] as Record<string, unknown>[]))
  } else if (type === 'task_update') {
    putTask(blocks, fields)
  } else if (type === 'plan_update') {
    const plan = blocks.find((block) => block['type'] === 'plan')
    if (plan === undefined) blocks.push({ type: 'plan', title: fields['title'], tasks: [] })
    else plan['title'] = fields['title']
  } else if (last?.['type'] === 'markdown') {
    last['text'] = `${String(last['text'])}${String(fields['text'])}`
  } else {
    blocks.push({ type: 'markdown', text: fields['text'] })
  }
}

/** A task that is there already changes where it stands; its details and its output grow, as others measured. */
function putTask(blocks: Record<string, unknown>[], fields: Record<string, unknown>): void {
  const { id, title, status, details, output, sources } = fields
  const plan = blocks.find((block) => block['type'] === 'plan')
  const place = (plan?.['tasks'] ?? blocks) as Record<string, unknown>[]
  const known = place.findIndex((block) => block['task_id'] === id)
  const before = (field: string): string => (known < 0 ? '' : textOf([place[known]?.[field]]))
  const card = {
    type: 'task_card',
    task_id: id,
    title,
    status,
    ...(typeof details === 'string' &&
      details !== '' && {
        details: richText(`${before('details')}${details}`),
      }),
    ...(typeof output === 'string' &&
      output !== '' && {
        output: richText(`${before('output')}${output}`),
      }),
    ...(sources !== undefined && { sources }),
  }
  if (known >= 0) place[known] = { ...place[known], ...card }
  else place.push(card)
}

function richText(text: string): Record<string, unknown> {
  const section = { type: 'rich_text_section', elements: [{ type: 'text', text }] }
  return { type: 'rich_text', elements: [section] }
}
