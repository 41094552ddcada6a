import { findApproval } from '../../db/approval/approvals.ts'
import { countFailure, findWaitingInboxes, markHandled } from '../../db/outbox/inbox.ts'
import type { ConversationRow, InboundEventRow, SessionRow } from '../../db/schema.ts'
import { lockConversation } from '../../db/turn/conversations.ts'
import {
  getSession,
  lockOpenSession,
  lockSession,
  type OpenSession,
} from '../../db/turn/sessions.ts'
import { findNextEvents } from '../../db/turn/turn-steps.ts'
import { findTurn } from '../../db/turn/turns.ts'
import {
  findUploadsOfEvent,
  linkUploads,
  markUploadsReported,
  type UploadRow,
} from '../../db/upload/uploads.ts'
import type { Caller } from '../../domain/caller.ts'
import type { TapAnswer } from '../../ports/chat.ts'
import type { EventOf } from '../../ports/observer.ts'
import { assertNever } from '../../util/guards.ts'
import { toStorable } from '../../util/text/storable.ts'
import { decideLocked } from '../approval/decide/decide.ts'
import { noSuchApproval } from '../approval/decide/settle-decision.ts'
import { findPresent } from '../people/people.ts'
import { attempt, type Effects, notice, type Transaction, transact } from '../transaction.ts'
import { type CommandTransaction, reply } from './commands/command.ts'
import { isOwnChat } from './commands/is-private.ts'
import { handleText, takeMessage, takeReason } from './handle-text.ts'
import { type InboundBody, type InboxContext, inboundBody } from './inbound.ts'
import { startDirectTurn } from './start-own.ts'
import { tapBatch, tapGroup } from './taps/tap-batch.ts'
import { tapCard } from './taps/tap-card.ts'
import { tapFeedback, tapRevoke, tapStop } from './taps/tap-message.ts'

const maxTries = 5

/** Handles a conversation's inbox in order, each event in one transaction with its effects. */
export async function handleInbox(ctx: InboxContext, conversationId: string): Promise<void> {
  while (await handleNext(ctx, conversationId)) {
    // One transaction for each event: earlier ones stay handled when the next fails.
  }
}

/** Handles events that a crash left in any inbox. */
export async function handleAllInboxes(ctx: InboxContext): Promise<void> {
  for (const id of await findWaitingInboxes(ctx.db)) {
    await attempt(ctx, 'handle an inbox', () => handleInbox(ctx, id))
  }
}

/** Returns whether another event waits; the intake of a later one triggers handling again. */
async function handleNext(ctx: InboxContext, conversationId: string): Promise<boolean> {
  let taken: InboundEventRow | undefined
  try {
    return await handleFirst(ctx, conversationId, (event) => {
      taken = event
    })
  } catch (error) {
    if (taken === undefined) throw error
    return deadLetter(ctx, taken, error)
  }
}

function handleFirst(
  ctx: InboxContext,
  conversationId: string,
  onTaken: (event: InboundEventRow) => void,
): Promise<boolean> {
  return transact(ctx, async (tx) => {
    const conversation = await lockConversation(tx.db, conversationId)
    const worker = conversation.worker ?? tx.ctx.settings.worker
    const next = await findNextEvents(tx.db, conversationId, worker)
    if (next === undefined) return false
    const { caller: known, ...event } = next.first
    onTaken(event)
    const body = inboundBody.parse(JSON.parse(event.body))
    const caller = await findPresent(tx.ctx, tx.db, event, known ?? undefined)
    const answer =
      caller === undefined
        ? undefined
        : await handleEvent({ ...tx, caller }, { conversation, open: next.open, event, body })
    if (answer !== 'handled') {
      const told = answer === undefined ? {} : { answer: toStorable(JSON.stringify(answer)) }
      await markHandled(tx.db, event.id, told)
    }
    emitMessageHandled(tx.effects, event, body)
    return next.hasMore
  })
}

function emitMessageHandled(effects: Effects, event: InboundEventRow, body: InboundBody): void {
  const about = effects.events.find((told) => 'turnId' in told && told.turnId !== undefined)
  effects.emit({
    kind: 'message_handled',
    platform: event.platform,
    act: actOf(body),
    conversationId: event.conversation_id,
    eventId: event.id,
    ...(about !== undefined && 'turnId' in about ? { turnId: about.turnId } : {}),
  })
}

function actOf({ kind }: InboundBody): EventOf<'message_handled'>['act'] {
  if (kind === 'revoke' || kind === 'batch' || kind === 'group' || kind === 'feedback') return 'tap'
  return kind === 'files' ? 'message' : kind
}

/** A tap's answer; `handled`: the event is marked as such already. */
type Handled = TapAnswer | 'handled' | undefined

type CallerTransaction = Transaction<InboxContext> & { readonly caller: Caller }

/** Event with its conversation, which is locked; so is the open session, if it is a message. */
interface TakenEvent {
  readonly conversation: ConversationRow
  readonly open: OpenSession | undefined
  readonly event: InboundEventRow
  readonly body: InboundBody
}

async function handleEvent(
  tx: CallerTransaction,
  { conversation, open, event, body }: TakenEvent,
): Promise<Handled> {
  const { caller } = tx
  if (body.kind === 'tap') return tapCard(tx, conversation.id, caller, body)
  if (body.kind === 'batch') {
    return tapBatch(tx, conversation.id, caller, body)
  }
  if (body.kind === 'group') return tapGroup(tx, conversation.id, caller, body)
  if (body.kind === 'feedback') return tapFeedback(tx.ctx, tx.db, caller, body)
  if (body.kind === 'revoke') return tapRevoke(tx, conversation, caller, body)
  if (body.kind === 'decision') {
    await decideInbound(tx, conversation.id, caller, body)
    return undefined
  }
  const home =
    open === undefined
      ? await lockHome(tx, conversation, body)
      : { conversation, ...open, isElsewhere: false }
  const privately = 'privately' in body ? body.privately : undefined
  const context: CommandTransaction = {
    ...tx,
    ...home,
    eventId: event.id,
    receivedAt: event.received_at,
    isShared: isWrittenShared(body) && !(await isOwnChat(tx.db, caller, conversation)),
    ...(privately === undefined ? {} : { privately }),
  }
  return act(context, body)
}

/** Whether other people read, by the platform's word; for a command it may only know where the caller is alone. */
function isWrittenShared(body: InboundBody): boolean {
  if (body.kind !== 'message' && body.kind !== 'files') return false
  return body.isShared === true || body.privately !== undefined
}

async function act(
  tx: CommandTransaction,
  body: Extract<InboundBody, { kind: 'message' | 'files' | 'shell' | 'stop' }>,
): Promise<Handled> {
  switch (body.kind) {
    case 'message':
      return handleText(tx, body.text, body.replyTo)
    case 'files':
      return handleFiles(tx, body)
    case 'shell':
      await startDirectTurn(tx, body)
      return undefined
    case 'stop':
      return tapStop(tx, body)
    default:
      return assertNever(body)
  }
}

/** Applies a tap on a card. The card shows an applied decision; anything else gets a notice. */
async function decideInbound(
  tx: Transaction<InboxContext>,
  conversationId: string,
  caller: Caller,
  body: Extract<InboundBody, { kind: 'decision' }>,
): Promise<void> {
  const approval = await findApproval(tx.db, body.approvalId)
  const decided =
    approval === undefined
      ? noSuchApproval(tx.ctx)
      : await decideLocked(tx, approval, {
          by: caller,
          decision: body.decision,
          at: conversationId,
        })
  if (decided.kind !== 'applied') await notice(tx, conversationId, decided.text)
}

/**
 * Retries an event whose handling threw a few times, then skips it with a notice, so that it does not block the conversation
 * forever. Returns whether later events can be handled now.
 */
async function deadLetter(
  ctx: InboxContext,
  event: InboundEventRow,
  error: unknown,
): Promise<boolean> {
  const tries = await transact(ctx, async (tx) => {
    const failed = await countFailure(tx.db, event.id)
    if (failed === undefined || failed < maxTries) return failed
    const why = ctx.redact(String(error)).slice(0, 500)
    await markHandled(tx.db, event.id, { failure: toStorable(why) })
    await notice(tx, event.conversation_id, ctx.messages.inbox.skipped, event.caller_id)
    const { id: eventId, platform, conversation_id: conversationId } = event
    tx.effects.emit({ kind: 'message_dead_lettered', platform, conversationId, eventId })
    return failed
  })
  const where = { conversation: event.conversation_id, event: event.id }
  ctx.log.error({ err: error, ...where, tries }, 'failed to handle inbound event')
  return tries === undefined || tries >= maxTries
}

/** Locked conversation and session of an event. */
interface EventHome {
  readonly conversation: ConversationRow
  readonly session: SessionRow
  /** Whether the event came from another conversation. */
  readonly isElsewhere: boolean
  readonly awaitsReason: boolean
}

/**
 * Locks the session of the event's conversation, which is locked already. For a button that stops a turn, locks those of the
 * turn, since approvers see cards in other chats too.
 */
async function lockHome(
  { ctx, db, caller }: CallerTransaction,
  here: ConversationRow,
  body: InboundBody,
): Promise<EventHome> {
  const turnId = body.kind === 'stop' ? body.turnId : undefined
  const turn = turnId === undefined ? undefined : await findTurn(db, turnId)
  if (turn === undefined) {
    const worker = here.worker ?? ctx.settings.worker
    const open = await lockOpenSession(db, here.id, worker, caller.id)
    return { conversation: here, ...open, isElsewhere: false }
  }
  const { conversation_id: homeId } = await getSession(db, turn.session_id)
  const isElsewhere = homeId !== here.id
  const conversation = isElsewhere ? await lockConversation(db, homeId) : here
  const session = await lockSession(db, turn.session_id)
  return { conversation, session, isElsewhere, awaitsReason: true }
}

/**
 * CHAT-07: handles a message with files once each is fetched or has failed. The text is the person's message; the turn that reads
 * it puts the files into the workspace.
 */
async function handleFiles(
  tx: CommandTransaction,
  { text, replyTo }: { readonly text: string; readonly replyTo?: string | undefined },
): Promise<'handled' | undefined> {
  const { db, eventId } = tx
  const uploads = await findUploadsOfEvent(db, eventId)
  if (uploads.some(({ state }) => state === 'kept')) {
    await takeReason(tx, undefined)
    return takeMessage(tx, text, (messageId) => linkUploads(db, eventId, messageId))
  }
  await notifyRefusedFiles(tx, uploads)
  return text === '' ? undefined : handleText(tx, text, replyTo)
}

async function notifyRefusedFiles(
  tx: CommandTransaction,
  uploads: readonly UploadRow[],
): Promise<void> {
  const messages = tx.ctx.messages.inbox
  for (const { name, failure } of uploads) {
    const why = failure ?? messages.notFetched
    await reply(tx, messages.fileNotTaken({ name, why }))
  }
  await markUploadsReported(
    tx.db,
    uploads.map(({ id }) => id),
  )
}
