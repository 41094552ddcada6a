import type { Card, CardAction, CardFile } from '../../../domain/approval.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import type { DeliveryContext } from '../../../ports/chat.ts'
import { sha256 } from '../../../util/digest.ts'
import { type CardButton, cardRows } from '../render/card-buttons.ts'
import { approvalName } from '../render/card-words.ts'
import { drawCard } from '../render/draw-card.ts'
import type { Sending, SendOptions, Target } from './messenger.ts'
import { sendParts } from './send-parts.ts'

/** Id of a delivered message; of a card, the message with its buttons. */
export interface SentMessage {
  readonly messageId: string
  /** The card was too long to be shown completely (APPR-16). */
  readonly isCut?: true
}

/** Delivers a change of a message that has been sent. */
export interface EditContext extends DeliveryContext {
  readonly editOf: string
}

/** Sends a card, after its file if it has one (APPR-02). */
export async function sendCard<Drawn>(
  sending: Sending<Drawn>,
  place: string,
  card: Card,
  context: DeliveryContext,
): Promise<SentMessage> {
  const { messenger } = sending
  const { file } = card
  const { drawn, rows, cut } = compose(sending, card)
  const about = approvalName(messenger.canvas.messages, card.number)
  const before =
    file === undefined ? [] : [() => sendFile({ messenger, place }, file, about, context)]
  const send = async (): Promise<string> =>
    messenger.send(
      place,
      drawn,
      await withTokens(messenger.canvas.messages, card, { rows, context }),
    )
  return { messageId: await sendParts([...before, send], context), ...cut }
}

/** Updates a card with its status and removes useless buttons (APPR-05). */
export async function updateCard<Drawn>(
  sending: Sending<Drawn>,
  place: string,
  card: Card,
  context: EditContext,
): Promise<SentMessage> {
  const { drawn, rows, cut } = compose(sending, card)
  const messageId = context.editOf
  const { messenger } = sending
  const below = await withTokens(messenger.canvas.messages, card, { rows, context })
  await messenger.edit(place, messageId, drawn, below)
  return { messageId, ...cut }
}

type Rows = readonly (readonly CardButton[])[]

interface Composed<Drawn> {
  readonly drawn: Drawn
  readonly rows: Rows
  readonly cut: { readonly isCut?: true }
}

/**
 * Draws the card. Whatever is not shown completely cannot be approved, unless a file sent before the card contains it
 * (APPR-16).
 */
function compose<Drawn>({ messenger, now }: Sending<Drawn>, card: Card): Composed<Drawn> {
  const rows = cardRows(card, messenger.canvas)
  const denyRows = rows.map((row) => row.filter(denies)).filter((row) => row.length > 0)
  const losesApproval = card.file === undefined && denyRows.flat().length < rows.flat().length
  const view = { now: now() }
  const below = losesApproval ? `⛔ ${messenger.canvas.messages.display.onlyDeny}` : ''
  const { drawn, isWhole, hasPatterns } = drawCard(messenger.canvas, card, view, below)
  const isRead = isWhole || card.file !== undefined
  if (isRead && (hasPatterns || card.open !== 'choice')) return { drawn, rows, cut: {} }
  return { drawn, rows: denyRows, cut: isRead ? {} : { isCut: true } }
}

function denies({ action }: CardButton): boolean {
  return action === 'deny' || action === 'just_deny' || action === 'back'
}

/** Creates tokens for this message only. */
async function withTokens(
  messages: Messages,
  card: Card,
  { rows, context }: { readonly rows: Rows; readonly context: DeliveryContext },
): Promise<Pick<SendOptions, 'buttons' | 'copy'>> {
  if (rows.length === 0) return {}
  const actions: ReadonlySet<CardAction> = new Set(rows.flat().map(({ action }) => action))
  const tokens = await context.mintTokens(card.approvalId, [...actions])
  const withToken = (button: CardButton) => ({ ...button, token: tokens[button.action] })
  return { buttons: rows.map((row) => row.map(withToken)), ...copyButton(messages, card) }
}

function copyButton(
  { display }: Messages,
  { copyable, status, open }: Card,
): Pick<SendOptions, 'copy'> {
  if (copyable === undefined || status.kind !== 'waiting' || open === 'choice') return {}
  return { copy: { label: display.labels.copy, text: copyable.text } }
}

/** Sends the complete text of `about`, for example an approval, as a file. Throws if its digest differs from the message's. */
export async function sendFile<Drawn>(
  { messenger, place }: Target<Drawn>,
  file: CardFile,
  about: string,
  context: DeliveryContext,
): Promise<string> {
  const bytes = await context.readAttachment(file.id)
  if (sha256(bytes) !== file.sha256)
    throw new Error('the file of a message is not what the message says')
  const { bytes: size, lines, sha256: digest } = file
  const { display } = messenger.canvas.messages
  const caption = display.wholeFile({ about, bytes: size, lines, sha256: digest })
  return messenger.sendFile(place, { name: plainName(file.name), bytes, caption })
}

/** A file name that is safe in a header, where clients insert it unescaped. */
function plainName(name: string): string {
  const plain = name
    .replaceAll(/[^\w.-]+/g, '_')
    .replace(/^\.+/, '_')
    .slice(-100)
  return plain === '' ? 'file.txt' : plain
}
