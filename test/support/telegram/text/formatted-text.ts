import type { MessageEntity } from 'grammy/types'
import { badRequest } from '../limits/refusal.ts'
import type { Params } from '../params.ts'
import { nestedEntities, withFoundEntities } from './entities.ts'
import { type ParsedText, parseHtml } from './html.ts'
import { HtmlError } from './html-error.ts'
import { readEntities } from './input-entities.ts'

/** A text as people see it, and as the bot wrote it. */
export interface FormattedText {
  readonly text: string
  readonly entities: readonly MessageEntity[]
  /** What the bot wrote, where its parse mode was HTML. */
  readonly html: string | undefined
}

export const emptyText: FormattedText = { text: '', entities: [], html: undefined }

/** Telegram forgets those after. */
const maxEntities = 100

/** Texts of which nothing is to be seen are empty. */
const invisible = /^[\s\u00ad\u200b-\u200f\u2060-\u206f\ufeff\u115f\u1160\u3164]*$/

/** The text of a call with its formatting. Empty where nothing is left to see. */
export function readFormattedText(
  params: Params,
  field: 'text' | 'caption',
  entitiesField: 'entities' | 'caption_entities',
): FormattedText {
  const source = params.text(field) ?? ''
  if (Buffer.byteLength(source) > 1 << 15) throw badRequest('text is too long')
  const mode = params.text('parse_mode')?.toLowerCase() ?? 'none'
  if (source === '') return emptyText
  if (mode === 'none') return finish(source, readEntities(params, entitiesField), undefined)
  // The other modes exist on the platform; nothing here speaks them.
  if (mode !== 'html') throw badRequest('unsupported parse_mode')
  const { text, entities } = parsed(source)
  return finish(text, entities, source)
}

function parsed(source: string): ParsedText {
  try {
    return parseHtml(source)
  } catch (error) {
    if (!(error instanceof HtmlError)) throw error
    const refusal = badRequest(`can't parse entities: ${error.message}`)
    refusal.cause = error
    throw refusal
  }
}

function finish(
  text: string,
  entities: readonly MessageEntity[],
  html: string | undefined,
): FormattedText {
  const tidy = trimmed(cleaned({ text, entities: nestedEntities(entities) }))
  if (invisible.test(tidy.text)) return emptyText
  const all = withFoundEntities(tidy.text, tidy.entities)
  return { text: tidy.text, entities: all.slice(0, maxEntities), html }
}

/** Control characters become spaces; carriage returns and line and paragraph separators go. */
function cleaned({ text, entities }: ParsedText): ParsedText {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what Telegram takes away
  const spaced = text.replaceAll(/[\u0000-\u0009\u000b\u000c\u000e-\u001f]/g, ' ')
  const gone = /\r|[\u2028-\u202e]|\u0333|\u033f|\u030a/g
  const moved = (at: number) => at - (spaced.slice(0, at).match(gone)?.length ?? 0)
  return { text: spaced.replaceAll(gone, ''), entities: remap(entities, moved) }
}

function trimmed({ text, entities }: ParsedText): ParsedText {
  const end = text.replace(/[ \n]+$/, '').length
  const firstEntity = entities[0]?.offset ?? end
  const blank = /^[ \n]*/.exec(text)?.[0].length ?? 0
  const start = Math.min(blank, firstEntity, end)
  const moved = (at: number) => Math.min(Math.max(at, start), end) - start
  return { text: text.slice(start, end), entities: remap(entities, moved) }
}

function remap(entities: readonly MessageEntity[], moved: (at: number) => number): MessageEntity[] {
  return entities
    .map((entity) => {
      const offset = moved(entity.offset)
      return { ...entity, offset, length: moved(entity.offset + entity.length) - offset }
    })
    .filter((entity) => entity.length > 0)
}
