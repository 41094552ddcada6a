import { findReach } from '../../db/outbox/reach.ts'
import { type PersonOf, readPeople } from '../../db/people/caller-links.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import { ensureConversation } from '../../db/turn/conversations.ts'
import type { ApproverRule } from '../../domain/approvers.ts'
import { may } from '../../domain/rights.ts'
import { mayApprove } from '../../rules/gate/approver-rule.ts'
import { assertNever } from '../../util/assert-never.ts'
import type { CoreContext } from '../context.ts'
import { notice } from '../outbox/post.ts'
import { findAnswerer } from '../people/find-answerer.ts'
import type { Transaction } from '../transaction.ts'
import { askNext } from './ask-next.ts'
import { numbersOf, postBatch } from './batches.ts'
import { postCard } from './cards.ts'
import { ruleOf } from './count-votes.ts'

/** Where a card goes, and what those are told who asked, unless it is shown there. */
interface Route {
  readonly conversations: readonly string[]
  readonly line?: (isOne: boolean) => string
  /** Somebody who may approve it is away, so that the next is asked at once (APPR-19). */
  readonly isHandedOver?: boolean
}

/**
 * APPR-18: posts the card where the operator wants it, and says in the conversation whom the question waits for. Where too few
 * can be reached it is posted in the conversation as well. Call under the session's lock.
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
  if (isHandedOver === true) await askNext(tx, approval)
}

/** The same for questions that are asked together, which the same people may answer. */
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
  for (const approval of waiting) await askNext(tx, approval)
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
  // Somebody with several accounts is asked on each, and named once.
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

/** Approvers and operators who may approve it and have written to us in private. */
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
