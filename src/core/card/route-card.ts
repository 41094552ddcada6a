import { findCardConversations } from '../../db/approval/card-copies.ts'
import { insertAsked, saveEscalation } from '../../db/approval/due-approvals.ts'
import { findReach } from '../../db/outbox/reach.ts'
import { isSamePerson, type PersonOf, readPeople } from '../../db/people/caller-links.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import { ensureConversation } from '../../db/turn/conversations.ts'
import type { ApproverRule } from '../../domain/approvers.ts'
import type { AuditEvent } from '../../domain/audit-event.ts'
import { type Caller, may } from '../../domain/caller.ts'
import { mayApprove } from '../../rules/gate/approver-rule.ts'
import { assertNever } from '../../util/guards.ts'
import { record } from '../audit/record.ts'
import type { CoreContext } from '../context.ts'
import { notice } from '../outbox/post.ts'
import { findAnswerer } from '../people/find-answerer.ts'
import type { Transaction } from '../transaction.ts'
import { nameApproval, numbersOf, postApproval, postBatch, postCard } from './cards.ts'
import { ruleOf } from './count-votes.ts'

/** Conversations for a card, and the notice for the conversation of the request if the card is not shown there. */
interface Route {
  readonly conversations: readonly string[]
  readonly line?: (isOne: boolean) => string
  /** Whether an approver is away, so that the next person is asked at once (APPR-19). */
  readonly isHandedOver?: boolean
}

/**
 * APPR-18: posts the card where the operator configured it and says in the conversation who is asked. If too few people can be
 * reached, also posts it in the conversation. Call under the session's lock.
 */
export async function routeCard(tx: Transaction, approval: ApprovalRow): Promise<void> {
  const { conversations, line, isHandedOver } = await routeOf(tx.ctx, tx.db, approval)
  for (const conversationId of conversations) {
    await postCard(tx, approval, conversationId)
  }
  if (line !== undefined) {
    const text = `Question ${approval.number} (${approval.tool}) ${line(true)}`
    await notice(tx, approval.conversation_id, text, approval.caller_id)
  }
  if (isHandedOver === true) await askNextApprover(tx, approval)
}

/** Routes the card of a batch, whose approvals share one rule. */
export async function routeBatch(tx: Transaction, members: readonly ApprovalRow[]): Promise<void> {
  const waiting = members.filter(({ state }) => state === 'pending')
  const [lead] = waiting
  if (lead?.batch_id == null) return
  const { conversations, line, isHandedOver } = await routeOf(tx.ctx, tx.db, lead)
  for (const conversationId of conversations) {
    await postBatch(tx, lead.batch_id, conversationId)
  }
  if (line !== undefined) {
    const text = `Questions ${numbersOf(waiting)} ${line(false)}`
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
      return { conversations: [id], line: inChannel }
    }
    default:
      return assertNever(route)
  }
}

const inChannel = (isOne: boolean): string =>
  `${isOne ? 'waits' : 'wait'} in the channel of the approvers. ${showsHere}`

const showsHere = '/approvals shows its card here.'

async function toApprovers(ctx: CoreContext, db: Db, approval: ApprovalRow): Promise<Route> {
  const rule = ruleOf(ctx, approval)
  const personOf = await readPeople(db)
  const found = await findApprovers(ctx, db, approval, { rule, personOf })
  const present = found.filter(({ isAway }) => !isAway)
  const asking = approval.conversation_id
  const conversations = new Set(present.map(({ conversationId }) => conversationId))
  // A person with several accounts is asked on each and named once.
  const people = new Map(present.map(({ id, name }) => [personOf(id), name]))
  const isHandedOver = present.length < found.length
  if (people.size < rule.people) {
    conversations.add(asking)
    const line = (isOne: boolean): string => {
      const who = `${countOf(rule.people)} to approve ${isOne ? 'it' : 'them'}`
      const reached = `${countOf(people.size)} can be reached in private`
      return `${isOne ? 'needs' : 'need'} ${who}, and ${reached}: ${isOne ? 'its' : 'their'} card is here as well.`
    }
    return { conversations: [...conversations], line, isHandedOver }
  }
  const isHere = conversations.has(asking)
  const names = listed([...people.values()])
  const line = (isOne: boolean): string =>
    `${isOne ? 'waits' : 'wait'} for ${names}, asked in private. ${showsHere}`
  return { conversations: [...conversations], isHandedOver, ...(isHere ? {} : { line }) }
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

function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostListed)
  const more = names.length - shown.length
  return more === 0 ? shown.join(' or ') : `${shown.join(', ')} or ${more} more`
}

function countOf(people: number): string {
  if (people === 0) return 'nobody'
  return people === 1 ? 'one person' : `${people} people`
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
  const { name, isOne, isMentioned } = await nameApproval(tx.db, approval)
  if (!isMentioned) return
  const text = `${name} now ${isOne ? 'waits' : 'wait'} for ${caller.name} as well.`
  await notice(tx, approval.conversation_id, text, approval.caller_id)
}
