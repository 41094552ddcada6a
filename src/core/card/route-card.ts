import {
  dissolveBatch,
  findApprovalBatch,
  findMembers,
  findReadyBatches,
  saveBatchFile,
} from '../../db/approval/approval-batches.ts'
import { findCardConversations } from '../../db/approval/card-copies.ts'
import { insertAsked, saveEscalation } from '../../db/approval/due-approvals.ts'
import { findReach } from '../../db/outbox/reach.ts'
import { isSamePerson, type PersonOf, readPeople } from '../../db/people/caller-links.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import { ensureConversation } from '../../db/turn/conversations.ts'
import { lockSession } from '../../db/turn/sessions.ts'
import { makeTurnDue } from '../../db/turn/turns.ts'
import type { ApproverRule } from '../../domain/approvers.ts'
import type { AuditEvent } from '../../domain/audit-event.ts'
import { type Caller, may } from '../../domain/caller.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import { mayApprove } from '../../rules/gate/approver-rule.ts'
import { assertNever } from '../../util/guards.ts'
import { toStorable } from '../../util/text/storable.ts'
import { record } from '../audit/record.ts'
import type { CoreContext } from '../context.ts'
import { findAnswerer } from '../people/people.ts'
import { attempt, notice, type Transaction, transact } from '../transaction.ts'
import { packBatch } from './batch-card.ts'
import { packCard } from './card-file.ts'
import { nameApproval, numbersOf, postApproval, postBatch, postCard } from './cards.ts'
import { readCard, ruleOf } from './read-card.ts'

/** Conversations for a card, and the notice for the conversation of the request if the card is not shown there. */
interface Route {
  readonly conversations: readonly string[]
  /** Tells the conversation of the request where the card went. */
  readonly tell?: (about: { readonly name: string; readonly isOne: boolean }) => string
  /** Whether an approver is away, so that the next person is asked at once (APPR-19). */
  readonly isHandedOver?: boolean
}

/**
 * APPR-18: posts the card where the operator configured it and says in the conversation who is asked. If too few people can be
 * reached, also posts it in the conversation. Call under the session's lock.
 */
async function routeCard(tx: Transaction, approval: ApprovalRow): Promise<void> {
  const { conversations, tell, isHandedOver } = await routeOf(tx.ctx, tx.db, approval)
  for (const conversationId of conversations) {
    await postCard(tx, approval, conversationId)
  }
  if (tell !== undefined) {
    const name = tx.ctx.messages.approvals.name(approval)
    const text = tell({ name, isOne: true })
    await notice(tx, approval.conversation_id, text, approval.caller_id)
  }
  if (isHandedOver === true) await askNextApprover(tx, approval)
}

/** Routes the card of a batch, whose approvals share one rule. */
async function routeBatch(tx: Transaction, members: readonly ApprovalRow[]): Promise<void> {
  const waiting = members.filter(({ state }) => state === 'pending')
  const [lead] = waiting
  if (lead?.batch_id == null) return
  const { conversations, tell, isHandedOver } = await routeOf(tx.ctx, tx.db, lead)
  for (const conversationId of conversations) {
    await postBatch(tx, lead.batch_id, conversationId)
  }
  if (tell !== undefined) {
    const name = tx.ctx.messages.approvals.names({ numbers: numbersOf(waiting) })
    const text = tell({ name, isOne: false })
    await notice(tx, lead.conversation_id, text, lead.caller_id)
  }
  if (isHandedOver !== true) return
  for (const approval of waiting) await askNextApprover(tx, approval)
}

async function routeOf(ctx: CoreContext, db: Db, approval: ApprovalRow): Promise<Route> {
  const { route, channel } = ctx.settings.routing
  const here = { conversations: [approval.conversation_id] }
  switch (route) {
    case 'conversation':
      return here
    case 'approver':
      return toApprovers(ctx, db, approval)
    case 'channel': {
      const [, platform, place] = /^([^:]+):(.+)$/s.exec(channel ?? '') ?? []
      if (platform === undefined || place === undefined) return here
      const { id } = await ensureConversation(db, platform, place)
      if (id === approval.conversation_id) return here
      return { conversations: [id], tell: ctx.messages.approvals.waitsInChannel }
    }
    default:
      return assertNever(route)
  }
}

async function toApprovers(ctx: CoreContext, db: Db, approval: ApprovalRow): Promise<Route> {
  const { approvals } = ctx.messages
  const rule = ruleOf(ctx, approval)
  const personOf = await readPeople(db)
  const found = await findApprovers(ctx, db, approval, { rule, personOf })
  const present = found.filter(({ isAway }) => !isAway)
  const asking = approval.conversation_id
  const conversations = new Set(present.map(({ conversationId }) => conversationId))
  // A person with several accounts is asked on each and named once.
  const named = new Map(present.map(({ id, name }) => [personOf(id), name]))
  const isHandedOver = present.length < found.length
  if (named.size < rule.people) {
    conversations.add(asking)
    const people = approvals.people({ count: rule.people })
    const reached = approvals.people({ count: named.size })
    const tell: Route['tell'] = (of) => approvals.tooFewReached({ ...of, people, reached })
    return { conversations: [...conversations], tell, isHandedOver }
  }
  const isHere = conversations.has(asking)
  const who = listed(ctx.messages, [...named.values()])
  const tell: Route['tell'] = (of) => approvals.waitsFor({ ...of, who })
  return { conversations: [...conversations], isHandedOver, ...(isHere ? {} : { tell }) }
}

interface Approver {
  readonly id: string
  readonly name: string
  readonly conversationId: string
  readonly isAway: boolean
}

/** Finds approvers and operators who may approve it and have a private conversation with us. */
async function findApprovers(
  ctx: CoreContext,
  db: Db,
  approval: ApprovalRow,
  { rule, personOf }: { readonly rule: ApproverRule; readonly personOf: PersonOf },
): Promise<readonly Approver[]> {
  const asker = personOf(approval.caller_id)
  const found: Approver[] = []
  for (const { id, conversationId, isAway } of await findReach(db)) {
    const caller = conversationId === null ? undefined : await findAnswerer(ctx, db, id)
    if (caller === undefined || conversationId === null) continue
    if (!may(caller, 'decide_for_others')) continue
    const approver = { ...caller, isSelf: personOf(id) === asker, isAsked: false }
    if (!mayApprove(approver, rule)) continue
    found.push({ id, name: caller.name, conversationId, isAway })
  }
  return found
}

const mostListed = 5

function listed({ approvals, format }: Messages, names: readonly string[]): string {
  const shown = names.slice(0, mostListed)
  const count = names.length - shown.length
  return count === 0 ? format.any(shown) : approvals.orMore({ names: shown.join(', '), count })
}

/** Audits what a person did about an approval besides deciding it. */
export async function recordAbout(
  db: Db,
  { id, session_id, turn_id, call_id, tool }: ApprovalRow,
  did: Pick<AuditEvent, 'arguments'> & { readonly caller_id: string; readonly note: string },
): Promise<void> {
  const about = { session_id, turn_id, call_id, tool, approval_id: id }
  await record(db, { kind: 'command', chain: session_id, ...about, ...did })
}

/**
 * APPR-19: asks the next person of the escalation list in private, who may then answer. Skips people who are away, unreachable or
 * not allowed to approve. Call under the session's lock, for a pending approval.
 */
export async function askNextApprover(tx: Transaction, approval: ApprovalRow): Promise<void> {
  const { escalateTo, escalateAfterMs } = tx.ctx.settings.routing
  for (let at = approval.escalated; at < escalateTo.length; at += 1) {
    const next = await findNext(tx.ctx, tx.db, approval, escalateTo[at] ?? '')
    if (next === undefined) continue
    const isLast = at + 1 === escalateTo.length
    await saveEscalation(tx.db, approval.id, at + 1, isLast ? undefined : escalateAfterMs)
    return ask(tx, approval, next)
  }
  await saveEscalation(tx.db, approval.id, escalateTo.length, undefined)
  if (escalateTo.length === 0) return
  const { id, number } = approval
  tx.ctx.log.warn(
    { approval: id, number },
    'escalation list exhausted: no one left to ask about an approval',
  )
}

interface Next {
  readonly caller: Caller
  readonly conversationId: string
}

async function findNext(
  ctx: CoreContext,
  db: Db,
  approval: ApprovalRow,
  id: string,
): Promise<Next | undefined> {
  const reach = (await findReach(db, [id])).find((person) => person.id === id)
  if (reach === undefined || reach.isAway || reach.conversationId === null) return undefined
  const caller = await findAnswerer(ctx, db, id)
  if (caller === undefined) return undefined
  const isSelf = await isSamePerson(db, caller.id, approval.caller_id)
  const approver = { ...caller, isSelf, isAsked: true }
  if (!mayApprove(approver, ruleOf(ctx, approval))) return undefined
  return { caller, conversationId: reach.conversationId }
}

async function ask(
  tx: Transaction,
  approval: ApprovalRow,
  { caller, conversationId }: Next,
): Promise<void> {
  const { id, number } = approval
  await insertAsked(tx.db, id, caller.id)
  const note = `question ${number} escalated to ${caller.id}`
  await recordAbout(tx.db, approval, { caller_id: caller.id, note })
  const isShownThere = (await findCardConversations(tx.db, id)).includes(conversationId)
  if (!isShownThere) await postApproval(tx, approval, conversationId)
  if (conversationId === approval.conversation_id) return
  const { name, isOne, isMentioned } = await nameApproval(tx, approval)
  if (!isMentioned) return
  const text = tx.ctx.messages.approvals.waitsAlsoFor({ name, isOne, who: caller.name })
  await notice(tx, approval.conversation_id, text, approval.caller_id)
}

/**
 * APPR-10: posts a batch card once all its previews have arrived; idempotent. If the text exceeds a file's limit, posts single
 * cards. Call under the session's lock.
 */
export async function showBatch(tx: Transaction, batchId: string): Promise<void> {
  const isReady = (await findReadyBatches(tx.db, batchId)).length > 0
  if (!isReady) return
  const members = await findMembers(tx.db, batchId)
  const batch = await findApprovalBatch(tx.db, batchId)
  if (batch === undefined) return
  const file = await packBatch(tx, batch.conversation_id, members.map(readCard))
  if (file === 'too_large') return showEach(tx, batchId, members)
  if (file !== 'fits') await saveBatchFile(tx.db, batchId, JSON.stringify(file))
  await routeBatch(tx, members)
}

/** Shows ready batches that were left behind because the last preview they waited for failed. */
export async function showReadyBatches(ctx: CoreContext): Promise<void> {
  for (const id of await findReadyBatches(ctx.db)) {
    await attempt(ctx, 'show approval batches', () =>
      transact(ctx, async (tx) => {
        const batch = await findApprovalBatch(tx.db, id)
        if (batch === undefined) return
        await lockSession(tx.db, batch.session_id)
        await showBatch(tx, id)
        const [first] = await findMembers(tx.db, id)
        const due = first === undefined ? undefined : await makeTurnDue(tx.db, first.turn_id)
        if (due !== undefined) tx.effects.wakeTurn(due)
      }),
    )
  }
}

async function showEach(
  tx: Transaction,
  batchId: string,
  members: readonly ApprovalRow[],
): Promise<void> {
  await dissolveBatch(tx.db, batchId)
  for (const approval of members) {
    if (approval.state !== 'pending') continue
    await showCard(tx, { ...approval, batch_id: null })
  }
}

/** Posts an approval's card for the first time; text that does not fit a message goes into a file. */
export async function showCard(tx: Transaction, approval: ApprovalRow): Promise<void> {
  const card = await packCard(tx, approval.conversation_id, readCard(approval))
  await routeCard(tx, { ...approval, card: toStorable(JSON.stringify(card)) })
}
