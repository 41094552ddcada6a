import type { MessageEntity } from 'grammy/types'
import { badRequest } from '../limits/refusal.ts'
import { isRecord } from '../params.ts'
import type { FormattedText } from './formatted-text.ts'

/** A block of a rich message, as the bot gave it. */
export type RichBlock = Readonly<Record<string, unknown>>

/* https://core.telegram.org/bots/api#rich-message-limits */
const maxCharacters = 32_768
const maxBlocks = 500
const maxDepth = 16

interface Reading {
  text: string
  characters: number
  blocks: number
  readonly entities: MessageEntity[]
}

/**
 * Blocks as people read them when all is opened. The kinds that the product sends, with their fields and limits as
 * https://core.telegram.org/bots/api#inputrichblock has them; the words of the refusals are this stand-in's own.
 */
export function readRichBlocks(given: unknown): {
  readonly blocks: readonly RichBlock[]
  readonly content: FormattedText
} {
  const reading: Reading = { text: '', characters: 0, blocks: 0, entities: [] }
  const blocks = readBlocks(given, reading, 1)
  if (blocks.length === 0) throw badRequest('rich message must be non-empty')
  if (reading.characters > maxCharacters) throw badRequest('rich message is too long')
  if (reading.blocks > maxBlocks) throw badRequest('rich message has too many blocks')
  return { blocks, content: { text: reading.text, entities: reading.entities, html: undefined } }
}

function readBlocks(given: unknown, reading: Reading, depth: number): readonly RichBlock[] {
  if (!Array.isArray(given)) throw badRequest('expected an Array of InputRichBlock')
  if (depth > maxDepth) throw badRequest('rich message is nested too deep')
  return given.map((block: unknown) => {
    if (!isRecord(block)) throw badRequest('InputRichBlock must be an Object')
    readBlock(block, reading, depth)
    return block
  })
}

const fields: Readonly<Record<string, readonly string[]>> = {
  paragraph: ['type', 'text'],
  pre: ['type', 'text', 'language'],
  details: ['type', 'summary', 'blocks', 'is_open'],
}

function readBlock(block: RichBlock, reading: Reading, depth: number): void {
  const { type } = block
  const known = fields[String(type)]
  if (known === undefined) throw badRequest(`unsupported rich block "${String(type)}"`)
  const odd = Object.keys(block).find((field) => !known.includes(field))
  if (odd !== undefined) throw badRequest(`field "${odd}" is not of a rich block "${String(type)}"`)
  reading.blocks += 1
  if (reading.text !== '') reading.text += '\n'
  const offset = reading.text.length
  readText(type === 'details' ? block['summary'] : block['text'], reading, depth)
  if (type === 'pre') note(reading, { type: 'pre', offset })
  if (type === 'details') readBlocks(block['blocks'], reading, depth + 1)
}

/** https://core.telegram.org/bots/api#richtext: a text, several, or one with a type. */
function readText(given: unknown, reading: Reading, depth: number): void {
  if (depth > maxDepth) throw badRequest('rich message is nested too deep')
  if (typeof given === 'string') {
    if (!given.isWellFormed()) throw badRequest('strings must be encoded in UTF-8')
    reading.text += given
    reading.characters += [...given].length
    return
  }
  if (Array.isArray(given)) {
    for (const part of given) readText(part, reading, depth)
    return
  }
  if (!isRecord(given)) throw badRequest('expected a RichText')
  readTyped(given, reading, depth)
}

function readTyped(given: RichBlock, reading: Reading, depth: number): void {
  const { type } = given
  const offset = reading.text.length
  readText(given['text'], reading, depth + 1)
  if (type === 'bot_command') {
    if (typeof given['bot_command'] !== 'string') throw badRequest('a command names none')
    note(reading, { type, offset })
  } else if (type === 'bold' || type === 'italic' || type === 'code')
    note(reading, { type, offset })
  else throw badRequest(`unsupported rich text "${String(type)}"`)
}

function note(
  reading: Reading,
  { type, offset }: { type: 'bot_command' | 'bold' | 'italic' | 'code' | 'pre'; offset: number },
): void {
  const length = reading.text.length - offset
  if (length > 0) reading.entities.push({ type, offset, length })
}
