import type { MessageEntity } from 'grammy/types'
import { badRequest } from '../limits/refusal.ts'
import { isRecord, type Params } from '../params.ts'

const plain = new Set([
  'bold',
  'italic',
  'underline',
  'strikethrough',
  'spoiler',
  'blockquote',
  'expandable_blockquote',
  'code',
])

/** Entities that a bot gave itself. Kinds that Telegram finds by itself are passed over, as it does. */
export function readEntities(params: Params, field: string): MessageEntity[] {
  const value = params.json(field, 'entities')
  if (value === undefined) return []
  // Telegram reads anything else as none.
  if (!Array.isArray(value)) return []
  const source = params.text(field === 'entities' ? 'text' : 'caption') ?? ''
  return value.flatMap((item: unknown) => {
    const entity = readEntity(item)
    if (entity !== undefined) checkPlace(entity, source)
    return entity ?? []
  })
}

function readEntity(item: unknown): MessageEntity | undefined {
  const bad = (why: string) => badRequest(`can't parse MessageEntity: ${why}`)
  if (!isRecord(item)) throw bad('expected an Object')
  const { type, offset, length } = item
  if (typeof type !== 'string') throw bad('Can\'t find field "type"')
  if (!Number.isSafeInteger(offset)) throw bad('Field "offset" must be of type Number')
  if (!Number.isSafeInteger(length)) throw bad('Field "length" must be of type Number')
  const place = { offset: Number(offset), length: Number(length) }
  if (plain.has(type)) return { type: type as 'bold', ...place }
  if (type === 'pre') {
    return typeof item['language'] === 'string'
      ? { type, ...place, language: item['language'] }
      : { type, ...place }
  }
  if (type === 'text_link') {
    if (typeof item['url'] !== 'string') throw bad('Can\'t find field "url"')
    return { type, ...place, url: item['url'] }
  }
  return undefined
}

function checkPlace(entity: MessageEntity, source: string): void {
  const { offset, length } = entity
  if (offset < 0) throw badRequest(`receive an entity with incorrect offset ${offset}`)
  if (length < 0) throw badRequest(`receive an entity with incorrect length ${length}`)
  const end = offset + length
  if (offset > source.length) {
    throw badRequest(`entity begins after the end of the text at UTF-16 offset ${offset}`)
  }
  if (end > source.length) {
    throw badRequest(
      `entity beginning at UTF-16 offset ${offset} ends after the end of the text at UTF-16 offset ${end}`,
    )
  }
  if (splitsPair(source, offset)) throw badRequest('entity begins in a middle of a UTF-16 symbol')
  if (splitsPair(source, end)) {
    throw badRequest(
      `entity beginning at UTF-16 offset ${offset} ends in a middle of a UTF-16 symbol`,
    )
  }
}

function splitsPair(source: string, at: number): boolean {
  return !(source.slice(0, at).isWellFormed() && source.slice(at).isWellFormed())
}
