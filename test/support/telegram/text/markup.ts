import type { InlineKeyboardButton } from 'grammy/types'
import { badRequest } from '../limits/refusal.ts'
import type { Call } from '../methods/method.ts'
import { isRecord } from '../params.ts'
import type { World } from '../world.ts'
import { checkedLink } from './html.ts'

export type Keyboard = readonly (readonly InlineKeyboardButton[])[]

/** The inline keyboard of a call. Undefined: none, or another kind of markup. */
export function readKeyboard({
  params,
  world,
}: Pick<Call, 'params' | 'world'>): Keyboard | undefined {
  const markup = params.json('reply_markup', 'reply keyboard markup')
  if (markup === undefined) return undefined
  if (!isRecord(markup)) throw badRequest('object expected as reply markup')
  const rows = markup['inline_keyboard']
  if (rows === undefined) {
    checkOtherMarkup(markup)
    return undefined
  }
  if (!Array.isArray(rows)) throw badRequest('field "inline_keyboard" must be of type Array')
  const keyboard = rows.map((row) => readRow(row, world.lacks)).filter((row) => row.length > 0)
  checkSize(keyboard)
  return keyboard.length === 0 ? undefined : keyboard
}

function checkOtherMarkup(markup: Record<string, unknown>): void {
  for (const field of ['remove_keyboard', 'force_reply', 'selective', 'one_time_keyboard']) {
    const value = markup[field]
    if (value !== undefined && typeof value !== 'boolean') {
      throw badRequest(`field "${field}" must be of type Boolean`)
    }
  }
  const keyboard = markup['keyboard']
  if (keyboard === undefined) return
  if (!(Array.isArray(keyboard) && keyboard.every((row) => Array.isArray(row)))) {
    throw badRequest('field "keyboard" must be an Array of Arrays')
  }
}

function readRow(row: unknown, lacks: World['lacks']): InlineKeyboardButton[] {
  if (!Array.isArray(row)) {
    throw badRequest(
      'field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays',
    )
  }
  return row.map((button) => readButton(button, lacks))
}

function readButton(button: unknown, lacks: World['lacks']): InlineKeyboardButton {
  const bad = (why: string) => badRequest(`can't parse inline keyboard button: ${why}`)
  if (!isRecord(button)) throw bad('InlineKeyboardButton must be an Object')
  const text = button['text']
  if (text === undefined) throw bad('Can\'t find field "text"')
  if (typeof text !== 'string') throw bad('Field "text" must be of type String')
  const style = button['style']
  if (style !== undefined && !['danger', 'success', 'primary'].includes(String(style))) {
    throw bad('invalid button style specified')
  }
  checkKind(lacks.has('copy_text') ? { ...button, copy_text: undefined } : button, bad)
  if (text.trim() === '') throw badRequest('inline keyboard button text must be non-empty')
  return button as unknown as InlineKeyboardButton
}

/** As `Client::get_inline_keyboard_button_type` of https://github.com/tdlib/telegram-bot-api: what has no field that the server knows is refused. */
const otherKinds = [
  'callback_game',
  'pay',
  'switch_inline_query',
  'switch_inline_query_chosen_chat',
  'switch_inline_query_current_chat',
  'login_url',
  'web_app',
  'copy_text',
  'disabled',
]

function checkKind(button: Record<string, unknown>, bad: (why: string) => Error): void {
  const { url, callback_data: data } = button
  for (const [name, value] of Object.entries({ url, callback_data: data })) {
    if (value !== undefined && typeof value !== 'string') {
      throw bad(`Field "${name}" must be of type String`)
    }
  }
  if (typeof url === 'string' && url !== '') {
    if (checkedLink(url) === undefined) {
      throw badRequest(`inline keyboard button URL '${url}' is invalid: Wrong HTTP URL`)
    }
    return
  }
  if (typeof data === 'string' && data !== '') {
    if (Buffer.byteLength(data) > 64) throw badRequest('BUTTON_DATA_INVALID')
    return
  }
  if (isRecord(button['copy_text'])) checkCopyText(button['copy_text'], bad)
  if (!otherKinds.some((kind) => button[kind] !== undefined)) {
    throw bad('Text buttons are unallowed in the inline keyboard')
  }
}

function checkCopyText(copy: Record<string, unknown>, bad: (why: string) => Error): void {
  const text = copy['text']
  if (typeof text !== 'string') throw bad('Can\'t find field "text"')
  if (text.length < 1 || text.length > 256) throw badRequest('BUTTON_COPY_TEXT_INVALID')
}

function checkSize(keyboard: Keyboard): void {
  const tooLong =
    keyboard.some((row) => row.length > 8) ||
    keyboard.flat().length > 100 ||
    Buffer.byteLength(JSON.stringify(keyboard)) > 10_000
  if (tooLong) throw badRequest('reply markup is too long')
}
