import { insertInbound, wasSlowedBefore } from '../../db/outbox/inbox.ts'
import { insertUploads, type NewUpload } from '../../db/upload/uploads.ts'
import type { Incoming } from '../../ports/chat.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { CoreContext } from '../context.ts'
import { answerHere } from './answer-here.ts'
import { type InboundBody, inboundBody } from './inbound.ts'
import type { IntakeTransaction, Taken } from './intake-transaction.ts'
import { tellAll } from './tell-all.ts'

/** What ends or decides something is never kept waiting. */
const urgent = /^\/(?:stop|deny|approve|always|revoke)\b/i

/** What a message brought beside its words, and what its sender is told of it, once. */
interface Beside {
  readonly uploads: readonly NewUpload[]
  readonly remarks: readonly string[]
}

/** LOOP-04: makes a row of what came in, with its files, to be handled in this conversation; once for each of the platform's ids. */
export async function storeEvent(
  tx: IntakeTransaction,
  conversationId: string,
  content: unknown,
  { uploads, remarks }: Beside = { uploads: [], remarks: [] },
): Promise<Taken> {
  const { ctx, db, incoming } = tx
  const { platform, externalId, from } = incoming
  const parsed = inboundBody.safeParse(content)
  if (!parsed.success) {
    // Refused for good: a platform would hand over what is rejected again and again.
    const problems = parsed.error.issues.map(({ code, path }) => `${path.join('.')}: ${code}`)
    ctx.log.warn({ platform, update: externalId, problems }, 'what came in cannot be understood')
    return { kind: 'not_taken' }
  }
  const body = toStorable(JSON.stringify(parsed.data))
  const event = { platform, externalId, conversationId, callerId: from.id, body }
  const perMinute = paceOf(ctx, parsed.data)
  const how = { perMinute, isInLine: isInLine(parsed.data), album: albumOf(incoming) }
  const stored = await insertInbound(db, { ...event, ...how })
  if (stored.isNew && uploads.length > 0) await insertUploads(db, stored.id, uploads)
  if (stored.isNew) await tellAll(tx, remarks)
  if (stored.isSlowed) await tellSlowed(tx, stored.id)
  return { kind: 'stored', conversationId, eventId: stored.id, isNew: stored.isNew }
}

/** CHAT-07: what is said behind a file is said of it; commands need not wait for one. */
function isInLine(body: InboundBody): boolean {
  return body.kind === 'files' || (body.kind === 'message' && !body.text.startsWith('/'))
}

/** The album of which it is a part, by the platform's id. */
export function albumOf({ act }: Incoming): string | undefined {
  return act.kind === 'message' ? act.album : undefined
}

/** REL-03: how many of these a person may have handled in a minute; undefined: as many as they like. */
function paceOf({ settings }: CoreContext, body: InboundBody): number | undefined {
  if (body.kind !== 'message' && body.kind !== 'files') return undefined
  if (body.kind === 'message' && urgent.test(body.text)) return undefined
  return settings.messagesPerMinute
}

/** Says once that more came than is handled at once; what follows waits in silence. */
async function tellSlowed(tx: IntakeTransaction, eventId: string): Promise<void> {
  const { ctx, db, incoming } = tx
  if (await wasSlowedBefore(db, incoming.from.id, eventId)) return
  const { messagesPerMinute } = ctx.settings
  const text = `You write faster than ${messagesPerMinute} messages a minute. Nothing is lost: the rest is taken one after the other. /stop and answers to questions do not wait.`
  await answerHere(tx, text)
}
