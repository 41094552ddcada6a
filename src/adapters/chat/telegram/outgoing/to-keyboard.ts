import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import type { SendOptions, SentButton } from '../../outgoing/messenger.ts'

/** The buttons below a message (TG-02); undefined: it has none. Servers that know no styles (before Bot API 9.4) leave them out. */
export function toKeyboard({ buttons = [], copy }: SendOptions): InlineKeyboardMarkup | undefined {
  const rows: InlineKeyboardButton[][] = buttons.map((row) => row.map(toButton))
  if (copy !== undefined) rows.push([{ text: copy.label, copy_text: { text: copy.text } }])
  return rows.length === 0 ? undefined : { inline_keyboard: rows }
}

function toButton({ label, token, style }: SentButton): InlineKeyboardButton {
  return { text: label, callback_data: token, ...(style === undefined ? {} : { style }) }
}
