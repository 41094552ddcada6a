import { Refusal, refusalWith } from '../limits/refusal.ts'
import type { Block } from '../messages.ts'
import { isRecord, type Params } from '../params.ts'
import { messageBlock } from './block-kinds.ts'
import { list, problem } from './schema.ts'

/** Of a message, each of these: https://docs.slack.dev/reference/block-kit/blocks */
const mostBlocks = 50
/** Over all markdown blocks: https://docs.slack.dev/reference/block-kit/blocks/markdown-block */
const mostMarkdown = 12_000
/** Over all cells of a table: https://docs.slack.dev/reference/block-kit/blocks/table-block */
const mostTableText = 10_000
/**
 * Over all blocks. Slack counts something between the text and the JSON, and people met the limit at 13,172 to 13,297
 * characters (https://github.com/slackapi/bolt-js/issues/2509) and below 12,000 of text in many small blocks (…/2867).
 * The JSON is counted here, which is never milder.
 */
export const mostJson = 13_172

/** The blocks of a call. Undefined: none were given; an empty list takes those of a message away. */
export function readBlocks(params: Params): readonly Block[] | undefined {
  if (!params.has('blocks')) return undefined
  const format = () => new Refusal('invalid_blocks_format')
  const blocks = params.json('blocks', format)
  if (!Array.isArray(blocks) || !blocks.every(isRecord)) throw format()
  return checkBlocks(blocks)
}

/** Throws what Slack refuses in a message. */
export function checkBlocks(blocks: readonly unknown[]): readonly Block[] {
  const problems: string[] = []
  list(messageBlock, mostBlocks, 0)(blocks, '/blocks', problems)
  problems.push(...findTwins(blocks, '/blocks'), ...findTooMuch(blocks))
  if (problems.length > 0) throw refusalWith('invalid_blocks', problems)
  if (tablesIn(blocks) > 1) throw refusalWith('invalid_attachments', ['only_one_table_allowed'])
  if (JSON.stringify(blocks).length > mostJson) throw new Refusal('msg_blocks_too_long')
  return blocks as readonly Block[]
}

/** Ids that stand twice: a block's in the message, an action's in its block. */
export function findTwins(blocks: readonly unknown[], at: string): string[] {
  const problems: string[] = []
  const blockIds = new Set<unknown>()
  for (const [index, block] of blocks.entries()) {
    if (!isRecord(block)) continue
    const id = block['block_id']
    if (id !== undefined && blockIds.has(id)) {
      problems.push(
        problem(`\`block_id\` "${String(id)}" already exists`, `${at}/${index}/block_id`),
      )
    }
    blockIds.add(id)
    const seen = new Set<string>()
    for (const actionId of actionIdsOf(block)) {
      if (seen.has(actionId)) {
        problems.push(problem(`\`action_id\` "${actionId}" already exists`, `${at}/${index}`))
      }
      seen.add(actionId)
    }
  }
  return problems
}

function actionIdsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(actionIdsOf)
  if (!isRecord(value)) return []
  const own = typeof value['action_id'] === 'string' ? [value['action_id']] : []
  return [...own, ...Object.values(value).flatMap(actionIdsOf)]
}

function findTooMuch(blocks: readonly unknown[]): string[] {
  const records = blocks.filter(isRecord)
  const markdown = records
    .filter(({ type }) => type === 'markdown')
    .reduce((sum, { text }) => sum + (typeof text === 'string' ? text.length : 0), 0)
  const tables = records.filter(({ type }) => type === 'table')
  const tableText = tables.reduce((sum, { rows }) => sum + textIn(rows), 0)
  return [
    ...(markdown > mostMarkdown
      ? [problem(`must be less than ${mostMarkdown + 1} characters`, '/blocks')]
      : []),
    ...(tableText > mostTableText
      ? [problem(`table must be less than ${mostTableText + 1} characters`, '/blocks')]
      : []),
  ]
}

/** A message shows one table of any kind, those of markdown too, or Slack refuses it by only_one_table_allowed. */
function tablesIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + tablesIn(each), 0)
  if (!isRecord(value)) return 0
  const { type, text } = value
  if (type === 'table' || type === 'data_table') return 1
  if (type === 'container') return tablesIn(value['child_blocks'])
  if (type !== 'markdown' || typeof text !== 'string') return 0
  return tablesDrawn(text)
}

/** Rows of dashes outside code. */
function tablesDrawn(markdown: string): number {
  const pieces = markdown.split(/^ {0,3}(?:```|~~~).*$/m).filter((_, index) => index % 2 === 0)
  const lines = pieces.join('\n').split('\n')
  return lines.filter((line) => /^[ |:-]+$/.test(line) && line.includes('|') && line.includes('-'))
    .length
}

function textIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + textIn(each), 0)
  if (!isRecord(value)) return 0
  const own = typeof value['text'] === 'string' ? value['text'].length : 0
  const rest = Object.entries(value).filter(([name]) => name !== 'text')
  return own + rest.reduce((sum, [, each]) => sum + textIn(each), 0)
}
