import type { MessageEntity } from 'grammy/types'
import { expect } from 'vitest'
import { parseHtml } from '../../../../support/telegram/text/html.ts'

const piece =
  /<\/?(?:b|i|s|code|pre|blockquote)>|<blockquote expandable>|<a href="https?:\/\/[^"<>&]*(?:&amp;[^"<>&]*)*">|<\/a>|<code class="language-[A-Za-z0-9+#._-]{1,32}">|&(?:amp|lt|gt|quot);|[^<>&"]/gu

/** Reads a message and holds it against everything that Telegram asks of one. */
export function readMessage(html: string) {
  expect(html.replaceAll(piece, '')).toBe('')
  expect(html).not.toMatch(/<(?!pre|code)([a-z]+)[^>]*><\/\1>/)
  const { text, entities } = parseHtml(html)
  expect(text.isWellFormed()).toBe(true)
  expect(text.length).toBeLessThanOrEqual(4_096)
  expect(Buffer.byteLength(html)).toBeLessThanOrEqual(1 << 15)
  expect(text).toMatch(/[^\s\p{Cc}\p{Cf}\u2800]/u)
  expect(entities.length).toBeLessThanOrEqual(100)
  for (const [index, outer] of entities.entries())
    for (const inner of entities.slice(index + 1)) assertMayMeet(outer, inner)
  return { text, entities }
}

const styles = ['bold', 'italic', 'strikethrough']
const quotes = ['blockquote', 'expandable_blockquote']

function assertMayMeet(a: MessageEntity, b: MessageEntity): void {
  const [endA, endB] = [a.offset + a.length, b.offset + b.length]
  if (endA <= b.offset || endB <= a.offset) return
  const where = `${a.type} ${a.offset}–${endA}, ${b.type} ${b.offset}–${endB}`
  expect(a.type, where).not.toBe(b.type)
  const isNested = endB <= endA || (a.offset === b.offset && endA <= endB)
  expect(isNested, where).toBe(true)
  const solid = [a.type, b.type].filter((type) => ![...styles, ...quotes].includes(type))
  const hasCode = solid.includes('code') || solid.includes('pre')
  expect(solid.length, where).toBeLessThanOrEqual(1)
  const hasQuote = quotes.includes(a.type) || quotes.includes(b.type)
  if (hasCode) expect(hasQuote, where).toBe(true)
}

/** What Telegram would make of a text by itself, a little more rather than less: pings and tappable commands. */
export function livePings(text: string, entities: readonly MessageEntity[]): string[] {
  const pattern =
    /(?<![\p{L}\p{N}_])@[A-Za-z0-9_]{2,32}(?![A-Za-z0-9_])|(?<![\p{L}\p{N}_/<>])\/[A-Za-z0-9_]{1,64}(?![A-Za-z0-9_/<>])/gu
  const inert = entities.filter(({ type }) => ['code', 'pre', 'text_link'].includes(type))
  return [...text.matchAll(pattern)]
    .filter(({ 0: found, index }) =>
      inert.every((one) => index + found.length <= one.offset || one.offset + one.length <= index),
    )
    .map(([found]) => found)
}
