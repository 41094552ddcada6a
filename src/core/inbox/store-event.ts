import { insertInbound, insertInboundAt, wasSlowedBefore } from '../../db/outbox/inbox.ts'
import { saveReplyPath } from '../../db/outbox/reply-paths.ts'
import type { CallerHere } from '../../db/people/callers.ts'
import type { ConversationRow } from '../../db/schema.ts'
import { ensureConversation } from '../../db/turn/conversations.ts'
import { insertUploads, type NewUpload } from '../../db/upload/uploads.ts'
import type { Incoming, TapAnswer } from '../../ports/chat.ts'
import { hasCode } from '../../util/has-code.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { CoreContext } from '../context.ts'
import { notice, type Transaction } from '../transaction.ts'
import { type Inbound, type InboundBody, inboundBody } from './inbound.ts'

/** Commands that stop or decide are exempt from the rate limit. */
const urgent = /^\/(?:stop|deny|approve|always|revoke)\b/i

/** Files of a message, and remarks to its sender, made once. */
interface EventExtras {
  readonly uploads: readonly NewUpload[]
  readonly remarks: readonly string[]
}

/** LOOP-04: stores an event with its files in this conversation; once for each platform id. */
export async function storeEvent(
  tx: IntakeTransaction,
  conversationId: string,
  content: unknown,
  { uploads, remarks }: EventExtras = { uploads: [], remarks: [] },
): Promise<Taken> {
  const { ctx, db, incoming } = tx
  const { platform, externalId, from } = incoming
  const parsed = inboundBody.safeParse(content)
  if (!parsed.success) {
    // Final refusal: a platform would keep redelivering a rejected update.
    const problems = parsed.error.issues.map(({ code, path }) => `${path.join('.')}: ${code}`)
    ctx.log.warn({ platform, update: externalId, problems }, 'invalid inbound update refused')
    return { kind: 'not_taken' }
  }
  const body = toStorable(JSON.stringify(parsed.data))
  const event = { platform, externalId, conversationId, callerId: from.id, body }
  const perMinute = paceOf(ctx, parsed.data)
  const how = { perMinute, isInLine: isInLine(parsed.data), album: albumOf(incoming) }
  const stored = await insertInbound(db, { ...event, ...how })
  if (stored.isNew && uploads.length > 0) await insertUploads(db, stored.id, uploads)
  if (stored.isNew) await postRemarks(tx, remarks)
  if (stored.isSlowed) await notifyRateLimited(tx, stored.id)
  return { kind: 'stored', conversationId, eventId: stored.id, isNew: stored.isNew }
}

/** CHAT-07: whether an event keeps its order behind files; text after a file may refer to it, commands need not wait. */
function isInLine(body: InboundBody): boolean {
  return body.kind === 'files' || (body.kind === 'message' && !body.text.startsWith('/'))
}

/** Returns the platform's id of the album it belongs to. */
export function albumOf({ act }: Incoming): string | undefined {
  return act.kind === 'message' ? act.album : undefined
}

/** REL-03: returns the number of such events a person may have handled in a minute; undefined: unlimited. */
function paceOf({ settings }: CoreContext, body: InboundBody): number | undefined {
  if (body.kind !== 'message' && body.kind !== 'files') return undefined
  if (body.kind === 'message' && urgent.test(body.text)) return undefined
  return settings.messagesPerMinute
}

/** Notifies the sender once that they are over the rate limit. */
async function notifyRateLimited(tx: IntakeTransaction, eventId: string): Promise<void> {
  const { ctx, db, incoming } = tx
  if (await wasSlowedBefore(db, incoming.from.id, eventId)) return
  const { messagesPerMinute: perMinute = 0 } = ctx.settings
  await answerHere(tx, ctx.messages.inbox.rateLimited({ perMinute }))
}

/**
 * LOOP-04: stores an update before it is confirmed to its platform. Handling starts from rows, so a later crash loses nothing,
 * and a repeated update gives the same row. Returns the conversation to handle and the row's id.
 */
export async function receive(
  ctx: Pick<CoreContext, 'db'>,
  inbound: Inbound,
): Promise<{ readonly conversationId: string; readonly eventId: string }> {
  const body = toStorable(JSON.stringify(inboundBody.parse(inbound.body)))
  const { platform, externalId, callerId } = inbound
  const { conversation: place } = inbound
  const store = async () => {
    const known = await insertInboundAt(ctx.db, { platform, externalId, callerId, body, place })
    if (known !== undefined) return known
    const { id } = await ensureConversation(ctx.db, platform, place)
    const event = { platform, externalId, conversationId: id, callerId, body }
    const { id: eventId } = await insertInbound(ctx.db, event)
    return { conversationId: id, eventId }
  }
  try {
    return await store()
  } catch (error) {
    // Retention deleted the conversation in between; it is created again.
    if (!hasCode(error, '23503')) throw error
    return store()
  }
}

/** Transaction that takes in a platform update. */
export interface IntakeTransaction extends Transaction {
  readonly incoming: Incoming
  /** Who wrote and where, as read when it began. */
  readonly here: CallerHere
}

/** Result of an intake. */
export type Taken =
  /** Stored in a row; the same update again gives the same row, with `isNew` false. */
  | {
      readonly kind: 'stored'
      readonly conversationId: string
      readonly eventId: string
      readonly isNew: boolean
    }
  /** Finished without a row. `answer` is for the person who tapped. */
  | { readonly kind: 'not_taken'; readonly answer?: TapAnswer }

/** Posts a notice to the source of an event that is not stored. */
export async function answerHere(tx: IntakeTransaction, text: string): Promise<void> {
  const { id } = await conversationHere(tx)
  await notice(tx, id, text, tx.incoming.from.id)
}

/**
 * The conversation that something came from, with how whoever wrote is answered where we are not. `privateOf`: whose
 * private conversation it is from now on.
 */
export async function conversationHere(
  tx: IntakeTransaction,
  privateOf?: string,
): Promise<ConversationRow> {
  const { db, incoming, here } = tx
  const { platform, place, from, replyPath } = incoming
  const isNoted = privateOf === undefined || here.isPrivate
  const known = isNoted ? here.conversation : undefined
  const conversation = known ?? (await ensureConversation(db, platform, place, privateOf))
  const whose = { conversationId: conversation.id, callerId: from.id }
  if (replyPath !== undefined) await saveReplyPath(db, whose, replyPath)
  return conversation
}

/** Posts each remark as a message of its own. */
export async function postRemarks(
  tx: IntakeTransaction,
  remarks: readonly string[],
): Promise<void> {
  for (const remark of remarks) await answerHere(tx, remark)
}
