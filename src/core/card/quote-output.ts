import { keepOutputFile, maxAttachmentBytes } from '../../db/upload/attachments.ts'
import type { NoticeFile, Outgoing } from '../../ports/chat.ts'
import { sha256 } from '../../util/digest.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { Connected } from '../transaction.ts'
import { excerpt, linesIn } from './card-excerpt.ts'

/** Room of two Telegram messages, in UTF-16 units. */
const room = { characters: 6_000, lines: Number.MAX_SAFE_INTEGER, around: '\n' } as const

type Quoted = Pick<Extract<Outgoing, { kind: 'notice' }>, 'quoted' | 'file'>

/**
 * OUT-10: prepares tool output for people: short text as is, otherwise its ends with the whole as a file. `about` completes “all
 * of …”.
 */
export async function quoteOutput(
  { ctx, db }: Connected,
  conversationId: string,
  text: string,
  { about, name }: Pick<NoticeFile, 'about' | 'name'>,
): Promise<Quoted> {
  if (text.length <= room.characters) return { quoted: text }
  const shown = excerpt(ctx.messages, text, room)
  const content = Buffer.from(toStorable(text))
  if (content.length > maxAttachmentBytes)
    return { quoted: `${shown}\n${ctx.messages.commands.output.tooLarge}` }
  const digest = sha256(content)
  const id = await keepOutputFile(db, { conversationId, name, content, sha256: digest })
  const size = { bytes: content.length, lines: linesIn(text), sha256: digest }
  return { quoted: shown, file: { id, name, about, ...size } }
}
