import type { Messages } from '../../../domain/messages/messages.ts'
import type { DeliveryContext, Outgoing, RevokeButton } from '../../../ports/chat.ts'
import type { Canvas } from '../render/canvas.ts'
import { drawNotice, noticeRuns } from '../render/draw-texts.ts'
import type { Messenger, SendOptions, SentButton } from './messenger.ts'
import { type SentMessage, sendFile } from './send-card.ts'
import { type Part, sendParts, textParts } from './send-parts.ts'

type Notice = Extract<Outgoing, { kind: 'notice' }>

const buttonsInRow = 4
/** Telegram shows at most 100 buttons, Slack 25 in a row and 50 rows. */
const maxButtons = 40

/** Sends a notice, with its buttons below the last part and its file after it; or edits one that was sent. */
export async function sendNotice<Drawn>(
  messenger: Messenger<Drawn>,
  place: string,
  notice: Notice,
  context: DeliveryContext,
): Promise<SentMessage> {
  const revokes = notice.revokes?.slice(0, maxButtons) ?? []
  const texts = drawNotice(canvasFor(messenger, revokes), notice.text, notice.quoted, {
    // Do not fold text that the buttons refer to.
    folds: revokes.length === 0,
  })
  const below = await withTokens(messenger.canvas.messages, revokes, context)
  const each = recipientOf(messenger, notice, texts)
  const { editOf, liveMessageId } = context
  if (editOf === undefined) {
    const mayFold =
      texts.length > 1 &&
      revokes.length === 0 &&
      liveMessageId === undefined &&
      each.onlyFor === undefined
    const parts = mayFold
      ? foldedParts(messenger, place, notice, texts)
      : textParts({ messenger, place }, texts, liveMessageId, { below, each })
    const { file } = notice
    const after =
      file === undefined ? [] : [() => sendFile({ messenger, place }, file, file.about, context)]
    return { messageId: await sendParts([...parts, ...after], context) }
  }
  // The buttons are below the last of several messages.
  const last = texts.at(-1)
  if (last !== undefined) await messenger.edit(place, editOf, last, below)
  return { messageId: editOf }
}

/**
 * Recipient of an ephemeral notice. A notice of several messages goes to everyone unless the platform guarantees delivery
 * (`hidesAll`).
 */
function recipientOf<Drawn>(
  { hidesAll }: Messenger<Drawn>,
  { onlyFor }: Notice,
  texts: readonly Drawn[],
): Pick<SendOptions, 'onlyFor'> {
  return onlyFor === undefined || (texts.length > 1 && hidesAll !== true) ? {} : { onlyFor }
}

/** Sends a notice of several messages as one folded message, if supported (TG-06); it counts as all of them. */
function foldedParts<Drawn>(
  messenger: Messenger<Drawn>,
  place: string,
  { text, quoted = '' }: Notice,
  texts: readonly Drawn[],
): Part[] {
  const [first, ...rest] = texts.map((drawn) => () => messenger.send(place, drawn))
  if (first === undefined) return []
  const folded = async () => {
    const messageId = await sendFolded(messenger, place, noticeRuns(text, quoted))
    return messageId === undefined ? first() : { messageId, count: texts.length }
  }
  return [folded, ...rest]
}

async function sendFolded<Drawn>(
  { canvas, sendFolded: send }: Messenger<Drawn>,
  place: string,
  { words, box }: ReturnType<typeof noticeRuns>,
): Promise<string | undefined> {
  if (box === '') return undefined
  const lines = box.split('\n').length
  const summary = canvas.messages.display.show({ lines })
  return send?.(place, { words: canvas.makeInert(words, 'notice'), summary, box })
}

/** A canvas with less room if there are buttons, which some platforms count with the text. */
function canvasFor<Drawn>(
  { canvas }: Messenger<Drawn>,
  revokes: readonly RevokeButton[],
): Canvas<Drawn> {
  return revokes.length === 0 ? canvas : { ...canvas, limit: canvas.liveLimit }
}

async function withTokens(
  { display }: Messages,
  revokes: readonly RevokeButton[],
  context: DeliveryContext,
): Promise<Pick<SendOptions, 'buttons'>> {
  if (revokes.length === 0) return {}
  const tokens = await context.mintRevokeTokens(revokes.map(({ grant }) => grant))
  const all = revokes.map(({ label }, index): SentButton => {
    return { action: 'revoke', label: display.revoke({ label }), token: tokens[index] ?? '' }
  })
  const rows = Array.from({ length: Math.ceil(all.length / buttonsInRow) }, (_, row) =>
    all.slice(row * buttonsInRow, (row + 1) * buttonsInRow),
  )
  return { buttons: rows }
}
