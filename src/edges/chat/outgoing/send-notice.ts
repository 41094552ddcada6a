import type { DeliveryContext, Outgoing, RevokeButton } from '../../../ports/chat.ts'
import type { Canvas } from '../render/canvas.ts'
import { drawNotice } from '../render/draw-texts.ts'
import type { Messenger, SendOptions, SentButton } from './messenger.ts'
import type { SentMessage } from './send-card.ts'
import { sendFile } from './send-file.ts'
import { sendParts, textParts } from './send-parts.ts'

const buttonsInRow = 4
/** Telegram shows a hundred at most, Slack 25 a row and 50 rows. */
const mostButtons = 40

/** Sends words of the product, with their buttons below the last part and their file behind it; or makes one that was sent read so. */
export async function sendNotice<Drawn>(
  messenger: Messenger<Drawn>,
  place: string,
  notice: Extract<Outgoing, { kind: 'notice' }>,
  context: DeliveryContext,
): Promise<SentMessage> {
  const revokes = notice.revokes?.slice(0, mostButtons) ?? []
  const texts = drawNotice(canvasFor(messenger, revokes), notice.text, notice.quoted)
  const below = await withTokens(revokes, context)
  const { editOf, liveMessageId } = context
  if (editOf === undefined) {
    const parts = textParts(messenger, place, texts, liveMessageId, below)
    const { file } = notice
    const behind =
      file === undefined ? [] : [() => sendFile(messenger, place, file, file.about, context)]
    return { messageId: await sendParts([...parts, ...behind], context) }
  }
  // The buttons are below the last of several messages.
  const last = texts.at(-1)
  if (last !== undefined) await messenger.edit(place, editOf, last, below)
  return { messageId: editOf }
}

/** Some platforms count buttons with the text: many leave less room for it. */
function canvasFor<Drawn>(
  { canvas }: Messenger<Drawn>,
  revokes: readonly RevokeButton[],
): Canvas<Drawn> {
  return revokes.length === 0 ? canvas : { ...canvas, limit: canvas.liveLimit }
}

async function withTokens(
  revokes: readonly RevokeButton[],
  context: DeliveryContext,
): Promise<Pick<SendOptions, 'buttons'>> {
  if (revokes.length === 0) return {}
  const tokens = await context.mintRevokeTokens(revokes.map(({ grant }) => grant))
  const all = revokes.map(({ label }, index): SentButton => {
    return { action: 'revoke', label: `Revoke ${label}`, token: tokens[index] ?? '' }
  })
  const rows = Array.from({ length: Math.ceil(all.length / buttonsInRow) }, (_, row) =>
    all.slice(row * buttonsInRow, (row + 1) * buttonsInRow),
  )
  return { buttons: rows }
}
