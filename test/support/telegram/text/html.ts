import type { MessageEntity } from 'grammy/types'
import { byteOffset, HtmlError } from './html-error.ts'
import { decodeReference } from './html-references.ts'
import { type OpenTag, readStartTag } from './html-tags.ts'

export interface ParsedText {
  readonly text: string
  readonly entities: readonly MessageEntity[]
}

interface Element extends OpenTag {
  readonly offset: number
}

interface Parse {
  readonly source: string
  at: number
  text: string
  /** Half of a surrogate pair was written as a number. */
  broken: boolean
  readonly open: Element[]
  readonly entities: MessageEntity[]
}

/** Telegram's HTML parse mode, tag by tag as its own parser reads it. Throws HtmlError. */
export function parseHtml(source: string): ParsedText {
  const parse: Parse = { source, at: 0, text: '', broken: false, open: [], entities: [] }
  while (parse.at < source.length) readNext(parse)
  const unclosed = parse.open.at(-1)
  if (unclosed !== undefined) {
    throw new HtmlError(`Can't find end tag corresponding to start tag "${unclosed.name}"`)
  }
  if (parse.broken) {
    throw new HtmlError(
      'Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units',
    )
  }
  return { text: parse.text, entities: parse.entities.sort(inOrder) }
}

function readNext(parse: Parse): void {
  const character = parse.source.charAt(parse.at)
  if (character === '<') {
    if (parse.source.charAt(parse.at + 1) === '/') readEndTag(parse)
    else openElement(parse)
    return
  }
  const reference = character === '&' ? decodeReference(parse.source, parse.at) : undefined
  if (reference?.text.isWellFormed() === false) parse.broken = true
  parse.text += reference?.text ?? character
  parse.at = reference?.end ?? parse.at + 1
}

function openElement(parse: Parse): void {
  const { tag, end } = readStartTag(parse.source, parse.at)
  parse.open.push({ ...tag, offset: parse.text.length })
  parse.at = end
}

function readEndTag(parse: Parse): void {
  const begin = byteOffset(parse.source, parse.at)
  const element = parse.open.pop()
  if (element === undefined) throw new HtmlError(`Unexpected end tag at byte offset ${begin}`)
  const found = /^<\/([^ \t\r\n\v>\0]*)[ \t\r\n\v]*(>?)/.exec(parse.source.slice(parse.at))
  if (found?.[2] !== '>') throw new HtmlError(`Unclosed end tag at byte offset ${begin}`)
  const name = (found[1] ?? '').toLowerCase()
  if (name !== '' && name !== element.name) {
    throw new HtmlError(
      `Unmatched end tag at byte offset ${begin}, expected "</${element.name}>", found "</${name}>"`,
    )
  }
  parse.at += found[0].length
  closeElement(parse, element)
}

function closeElement(parse: Parse, element: Element): void {
  const length = parse.text.length - element.offset
  if (length === 0) return
  const entity = entityOf(element, length, parse)
  if (entity !== undefined) parse.entities.push(entity)
}

const plainKinds = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  'tg-spoiler': 'spoiler',
  span: 'spoiler',
} as const

function entityOf(element: Element, length: number, parse: Parse): MessageEntity | undefined {
  const { name, argument, offset } = element
  if (name in plainKinds) {
    return { type: plainKinds[name as keyof typeof plainKinds], offset, length }
  }
  switch (name) {
    case 'a':
      return linkEntity(argument || parse.text.slice(offset), offset, length)
    case 'tg-emoji':
      if (!/^-?\d+$/.test(argument) || Number(argument) === 0) {
        throw new HtmlError('Invalid custom emoji identifier specified')
      }
      return { type: 'custom_emoji', offset, length, custom_emoji_id: argument }
    case 'blockquote':
      return { type: argument === '' ? 'blockquote' : 'expandable_blockquote', offset, length }
    default:
      return codeEntity(element, length, parse)
  }
}

/** `<pre>` and `<code>` of the same text become one block when the code names its language. */
function codeEntity(element: Element, length: number, parse: Parse): MessageEntity | undefined {
  const { name, argument, offset } = element
  const last = parse.entities.at(-1)
  const same = last !== undefined && last.offset === offset && last.length === length
  if (name === 'pre') {
    const language = same && last.type === 'code' ? languages.get(last) : undefined
    if (language === undefined) return { type: 'pre', offset, length }
    parse.entities.pop()
    return { type: 'pre', offset, length, language }
  }
  if (same && last.type === 'pre' && argument !== '') {
    parse.entities.pop()
    return { type: 'pre', offset, length, language: argument }
  }
  const code: MessageEntity = { type: 'code', offset, length }
  if (argument !== '') languages.set(code, argument)
  return code
}

const languages = new WeakMap<MessageEntity, string>()

function linkEntity(url: string, offset: number, length: number): MessageEntity | undefined {
  const user = /^tg:(?:\/\/)?user\?id=(\d+)/i.exec(url)?.[1]
  if (user !== undefined) {
    const mentioned = { id: Number(user), is_bot: false, first_name: user }
    return { type: 'text_mention', offset, length, user: mentioned }
  }
  const checked = checkedLink(url)
  return checked === undefined ? undefined : { type: 'text_link', offset, length, url: checked }
}

/** The link as Telegram keeps it; undefined: it shows the words without a link. */
export function checkedLink(link: string): string | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(link)?.[1]?.toLowerCase()
  if (scheme === 'tg' || scheme === 'ton' || scheme === 'tonsite') {
    const rest = link.slice(scheme.length + 1).replace(/^\/\//, '')
    return /^[\w-]+/.test(rest) ? `${scheme}://${rest}` : undefined
  }
  const hasScheme = /^https?:\/\//i.test(link)
  if (!hasScheme && link.includes('://')) return undefined
  const parsed = URL.parse(hasScheme ? link : `http://${link}`)
  if (parsed === null || /\s/.test(link)) return undefined
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return undefined
  return parsed.hostname.includes('.') || parsed.hostname.startsWith('[') ? parsed.href : undefined
}

function inOrder(a: MessageEntity, b: MessageEntity): number {
  return a.offset - b.offset || b.length - a.length
}
