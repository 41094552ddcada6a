import { findApproval } from '../../db/approval/approvals.ts'
import {
  countFailure,
  findWaitingInboxes,
  findWaitingWithCaller,
  markHandled,
} from '../../db/outbox/inbox.ts'
import type { ConversationRow, InboundEventRow, SessionRow } from '../../db/schema.ts'
import { lockConversation } from '../../db/turn/conversations.ts'
import { getSession, lockOpenSession, lockSession } from '../../db/turn/sessions.ts'
import { findTurn } from '../../db/turn/turns.ts'
import type { Caller } from '../../domain/caller.ts'
import type { TapAnswer } from '../../ports/chat.ts'
import type { EventOf } from '../../ports/observer.ts'
import { assertNever } from '../../util/assert-never.ts'
import { toStorable } from '../../util/text/storable.ts'
import { decideLocked } from '../approval/decide/decide.ts'
import { noSuchQuestion } from '../approval/decide/lock-question.ts'
import { notice } from '../outbox/post.ts'
import { attempt } from '../retry.ts'
import type { Transaction } from '../transaction.ts'
import { type Effects, transact } from '../transaction.ts'
import { findPresent } from './admit.ts'
import type { CommandTransaction } from './commands/command.ts'
import { handleFiles } from './files/handle-files.ts'
import { handleText } from './handle-text.ts'
import { type InboundBody, inboundBody } from './inbound.ts'
import type { InboxContext } from './inbox-context.ts'
import { isOwnChat } from './is-own-chat.ts'
import { startOwn } from './start-own.ts'
import { tapBatch } from './taps/tap-batch.ts'
import { tapCard } from './taps/tap-card.ts'
import { tapFeedback } from './taps/tap-feedback.ts'
import { tapRevoke } from './taps/tap-revoke.ts'
import { tapStop } from './taps/tap-stop.ts'

const maxTries = 5

const given =
  'Your message could not be processed and was skipped. An operator can find the details in the log. Later messages are handled.'

/** Handles what waits in a conversation's inbox, one event after the other, each in one transaction with its effects. */
export async function handleInbox(ctx: InboxContext, conversationId: string): Promise<void> {
  while (await handleNext(ctx, conversationId)) {
    // One transaction an event: what was handled stays handled when the next one fails.
  }
}

/** Handles what a crash left in any inbox. */
export async function handleAllInboxes(ctx: InboxContext): Promise<void> {
  for (const id of await findWaitingInboxes(ctx.db)) {
    await attempt(ctx, 'handle an inbox', () => handleInbox(ctx, id))
  }
}

/** Whether another event waited behind the one that was handled; whoever stores a later one looks again. */
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
    const [waiting, following] = await findWaitingWithCaller(tx.db, conversationId, 2)
    if (waiting === undefined) return false
    const { caller: known, ...event } = waiting
    onTaken(event)
    const body = inboundBody.parse(JSON.parse(event.body))
    const caller = await findPresent(tx.ctx, tx.db, event, known ?? undefined)
    const answer =
      caller === undefined
        ? undefined
        : await handleEvent({ ...tx, caller }, conversation, event, body)
    if (answer !== 'handled') {
      const told = answer === undefined ? {} : { answer: toStorable(JSON.stringify(answer)) }
      await markHandled(tx.db, event.id, told)
    }
    tellHandled(tx.effects, event, body)
    return following !== undefined
  })
}

function tellHandled(effects: Effects, event: InboundEventRow, body: InboundBody): void {
  const about = effects.events.find((told) => 'turnId' in told && told.turnId !== undefined)
  effects.tell({
    kind: 'message_handled',
    platform: event.platform,
    act: actOf(body),
    conversationId: event.conversation_id,
    eventId: event.id,
    ...(about !== undefined && 'turnId' in about ? { turnId: about.turnId } : {}),
  })
}

function actOf({ kind }: InboundBody): EventOf<'message_handled'>['act'] {
  if (kind === 'revoke' || kind === 'batch' || kind === 'feedback') return 'tap'
  return kind === 'files' ? 'message' : kind
}

/** A tap's answer; `handled`: the event is marked as such already. */
type Handled = TapAnswer | 'handled' | undefined

async function handleEvent(
  tx: Transaction<InboxContext> & { readonly caller: Caller },
  conversation: ConversationRow,
  event: InboundEventRow,
  body: InboundBody,
): Promise<Handled> {
  const { caller } = tx
  if (body.kind === 'tap') return tapCard(tx, conversation.id, caller, body)
  if (body.kind === 'batch') {
    return tapBatch(tx, conversation.id, caller, body)
  }
  if (body.kind === 'feedback') return tapFeedback(tx.ctx, tx.db, caller, body)
  if (body.kind === 'revoke') return tapRevoke(tx, conversation, caller, body)
  if (body.kind === 'decision') {
    await decideInbound(tx, conversation.id, caller, body)
    return undefined
  }
  const home = await lockHome(tx, conversation, body)
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

/** What the platform said: of a command it may not know that nobody else is there. */
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
      await startOwn(tx, body)
      return undefined
    case 'stop':
      return tapStop(tx, body)
    default:
      return assertNever(body)
  }
}

/** A tap on a card. The card tells what was applied; only what was not needs words of its own. */
async function decideInbound(
  tx: Transaction<InboxContext>,
  conversationId: string,
  caller: Caller,
  body: Extract<InboundBody, { kind: 'decision' }>,
): Promise<void> {
  const approval = await findApproval(tx.db, body.approvalId)
  const decided =
    approval === undefined
      ? noSuchQuestion
      : await decideLocked(tx, approval, {
          by: caller,
          decision: body.decision,
          at: conversationId,
        })
  if (decided.kind !== 'applied') await notice(tx, conversationId, decided.text)
}

/**
 * What became of an event whose handling threw: it is tried again some times, then given up with words to the person, so
 * that it does not hold up the conversation for ever. Answers whether what came after it can be handled now.
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
    await notice(tx, event.conversation_id, given, event.caller_id)
    const { id: eventId, platform, conversation_id: conversationId } = event
    tx.effects.tell({ kind: 'message_dead_lettered', platform, conversationId, eventId })
    return failed
  })
  const where = { conversation: event.conversation_id, event: event.id }
  ctx.log.error({ err: error, ...where, tries }, 'an event could not be handled')
  return tries === undefined || tries >= maxTries
}

/** What an event is about, locked. */
interface Home {
  readonly conversation: ConversationRow
  readonly session: SessionRow
  /** Whether the event came in somewhere else. */
  readonly isElsewhere: boolean
  readonly awaitsReason: boolean
}

/**
 * The conversation where an event came in, which is locked already, and its open session. Of a button that ends a turn: those of the
 * turn, since cards are shown to approvers in other chats too.
 */
async function lockHome(
  { ctx, db, caller }: Transaction<InboxContext> & { readonly caller: Caller },
  here: ConversationRow,
  body: InboundBody,
): Promise<Home> {
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
