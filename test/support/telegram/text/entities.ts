import type { MessageEntity } from 'grammy/types'

/**
 * Makes entities what Telegram makes of them: code and pre hold no other entity, links and the like do not hold each
 * other, quotes are not nested, equal kinds are not doubled.
 */
export function nestedEntities(entities: readonly MessageEntity[]): MessageEntity[] {
  const sorted = entities.filter((entity) => entity.length > 0).sort(inOrder)
  const quotes = withoutOverlap(sorted.filter(isQuote))
  const solid = withoutOverlap(sorted.filter((entity) => !(isStyle(entity) || isQuote(entity))))
  const kept = solid.filter((entity) => quotes.every((quote) => !crosses(entity, quote)))
  const code = kept.filter(isCode)
  const styles = sorted.filter(isStyle).flatMap((style) => outside(style, code))
  return [...quotes, ...kept, ...withoutDoubles(styles)].sort(inOrder)
}

/** Commands, mentions, links and hashtags that Telegram itself finds in a text, where nothing solid is yet. */
export function withFoundEntities(
  text: string,
  entities: readonly MessageEntity[],
): MessageEntity[] {
  const solid = entities.filter((entity) => !(isStyle(entity) || isQuote(entity)))
  const found = findEntities(text).filter((entity) => solid.every((other) => apart(entity, other)))
  return [...entities, ...found].sort(inOrder)
}

const patterns: readonly (readonly ['bot_command' | 'mention' | 'url' | 'hashtag', RegExp])[] = [
  ['bot_command', /(?<![\w/<>])\/[a-z0-9_]{1,64}(?:@[a-z0-9_]{3,32})?(?![\w@/<>])/gi],
  ['mention', /(?<![\w@/])@[a-z0-9_]{3,32}(?!\w)/gi],
  ['url', /\bhttps?:\/\/[^\s<>"]+[^\s<>".,!?;:'()]/gi],
  ['hashtag', /(?<![\w#])#[\p{L}\p{N}_]{1,256}/gu],
]

export function findEntities(text: string): MessageEntity[] {
  const found = patterns.flatMap(([type, pattern]) =>
    [...text.matchAll(pattern)].map((match) => ({
      type,
      offset: match.index,
      length: match[0].length,
    })),
  )
  return withoutOverlap(found.sort(inOrder))
}

function isStyle(entity: MessageEntity): boolean {
  return ['bold', 'italic', 'underline', 'strikethrough', 'spoiler'].includes(entity.type)
}

function isQuote(entity: MessageEntity): boolean {
  return entity.type === 'blockquote' || entity.type === 'expandable_blockquote'
}

function isCode(entity: MessageEntity): boolean {
  return entity.type === 'code' || entity.type === 'pre'
}

function endOf(entity: MessageEntity): number {
  return entity.offset + entity.length
}

function apart(a: MessageEntity, b: MessageEntity): boolean {
  return endOf(a) <= b.offset || endOf(b) <= a.offset
}

function holds(outer: MessageEntity, inner: MessageEntity): boolean {
  return outer.offset <= inner.offset && endOf(inner) <= endOf(outer)
}

function crosses(entity: MessageEntity, quote: MessageEntity): boolean {
  return !(apart(entity, quote) || holds(quote, entity))
}

function withoutOverlap(sorted: readonly MessageEntity[]): MessageEntity[] {
  let end = 0
  return sorted.filter((entity) => {
    if (entity.offset < end) return false
    end = endOf(entity)
    return true
  })
}

/** The parts of a style that no code covers. */
function outside(style: MessageEntity, code: readonly MessageEntity[]): MessageEntity[] {
  let parts = [style]
  for (const block of code) {
    parts = parts.flatMap((part) =>
      apart(part, block)
        ? [part]
        : [
            { ...part, length: block.offset - part.offset },
            { ...part, offset: endOf(block), length: endOf(part) - endOf(block) },
          ].filter((rest) => rest.length > 0),
    )
  }
  return parts
}

function withoutDoubles(sorted: readonly MessageEntity[]): MessageEntity[] {
  return sorted.filter(
    (entity, index) =>
      !sorted.slice(0, index).some((other) => other.type === entity.type && holds(other, entity)),
  )
}

/** What Telegram's own order does with entities of one place: quotes, pre, code, links, the rest. */
const ranks: Readonly<Record<string, number>> = {
  blockquote: 0,
  expandable_blockquote: 0,
  pre: 11,
  code: 20,
  text_link: 49,
  text_mention: 49,
  bold: 90,
  italic: 91,
  underline: 92,
  strikethrough: 93,
  spoiler: 94,
  custom_emoji: 99,
}

function inOrder(a: MessageEntity, b: MessageEntity): number {
  return a.offset - b.offset || b.length - a.length || (ranks[a.type] ?? 50) - (ranks[b.type] ?? 50)
}
