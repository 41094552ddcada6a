import { byteOffset, HtmlError } from './html-error.ts'
import { decodeReference } from './html-references.ts'

/** A start tag with the one attribute that means something to it; the others are read and forgotten. */
export interface OpenTag {
  readonly name: string
  readonly argument: string
}

const known = new Set(
  'a b strong i em s strike del u ins tg-spoiler tg-emoji span pre code blockquote'.split(' '),
)

/** Reads `<name attribute="value" …>`. Throws HtmlError. */
export function readStartTag(
  source: string,
  begin: number,
): { readonly tag: OpenTag; readonly end: number } {
  const where = byteOffset(source, begin)
  const reader = new Reader(source, begin + 1)
  const name = reader.until((character) => isSpace(character) || character === '>').toLowerCase()
  if (reader.ended) throw new HtmlError(`Unclosed start tag at byte offset ${where}`)
  if (!known.has(name)) {
    throw new HtmlError(`Unsupported start tag "${name}" at byte offset ${where}`)
  }
  let argument = ''
  for (;;) {
    reader.skipSpaces()
    if (reader.ended) throw unclosed(name, where)
    if (reader.here() === '>') break
    argument = readAttribute(reader, name, where) ?? argument
  }
  if (name === 'span' && argument !== 'spoiler') {
    throw new HtmlError(`Tag "span" must have class "tg-spoiler" at byte offset ${where}`)
  }
  return { tag: { name, argument }, end: reader.at + 1 }
}

function readAttribute(reader: Reader, tag: string, where: number): string | undefined {
  const attribute = reader.until((character) => isSpace(character) || '=>/"\''.includes(character))
  if (attribute === '') {
    throw new HtmlError(`Empty attribute name in the tag "${tag}" at byte offset ${where}`)
  }
  reader.skipSpaces()
  if (reader.ended) throw unclosed(tag, where)
  if (reader.here() !== '=') return meaningOf(tag, attribute, undefined)
  reader.at++
  reader.skipSpaces()
  if (reader.ended) throw unclosed(tag, where)
  const value =
    reader.here() === '"' || reader.here() === "'" ? readString(reader) : readToken(reader)
  if (reader.ended) throw new HtmlError(`Unclosed start tag at byte offset ${where}`)
  return meaningOf(tag, attribute, value)
}

function meaningOf(tag: string, attribute: string, value: string | undefined): string | undefined {
  if (tag === 'blockquote' && attribute === 'expandable') return '1'
  if (value === undefined) return undefined
  if (tag === 'a' && attribute === 'href') return value
  if (tag === 'tg-emoji' && attribute === 'emoji-id') return value
  if (attribute !== 'class') return undefined
  if (tag === 'code' && value.startsWith('language-')) return value.slice('language-'.length)
  return tag === 'span' && value.startsWith('tg-') ? value.slice('tg-'.length) : undefined
}

function readToken(reader: Reader): string {
  const where = byteOffset(reader.source, reader.at)
  const value = reader.until((character) => !/[a-z0-9.-]/i.test(character)).toLowerCase()
  if (!reader.ended && !isSpace(reader.here()) && reader.here() !== '>') {
    throw new HtmlError(`Unexpected end of name token at byte offset ${where}`)
  }
  return value
}

function readString(reader: Reader): string {
  const quote = reader.here()
  reader.at++
  let value = ''
  while (!reader.ended && reader.here() !== quote) {
    const reference = decodeReference(reader.source, reader.at)
    value += reference?.text ?? reader.here()
    reader.at = reference?.end ?? reader.at + 1
  }
  if (!reader.ended) reader.at++
  return value
}

function unclosed(tag: string, where: number): HtmlError {
  return new HtmlError(`Unclosed start tag "${tag}" at byte offset ${where}`)
}

function isSpace(character: string): boolean {
  return ' \t\r\n\v'.includes(character)
}

class Reader {
  readonly source: string
  at: number

  constructor(source: string, at: number) {
    this.source = source
    this.at = at
  }

  here(): string {
    return this.source.charAt(this.at)
  }

  /** Like Telegram's own, a NUL ends the text. */
  get ended(): boolean {
    return this.here() === '' || this.here() === '\0'
  }

  skipSpaces(): void {
    while (!this.ended && isSpace(this.here())) this.at++
  }

  until(stop: (character: string) => boolean): string {
    const start = this.at
    while (!this.ended && !stop(this.here())) this.at++
    return this.source.slice(start, this.at)
  }
}
