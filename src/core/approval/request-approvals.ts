import { insertBatch } from '../../db/approval/approval-batches.ts'
import { findReach } from '../../db/outbox/reach.ts'
import { readPeople } from '../../db/people/caller-links.ts'
import { findAllPins } from '../../db/people/username-pins.ts'
import type { Db } from '../../db/schema.ts'
import type { ApproverRule } from '../../domain/approvers.ts'
import { isAtLeast, may } from '../../domain/caller.ts'
import { english } from '../../domain/messages/messages.ts'
import type { ToolError } from '../../domain/tool/tool-error.ts'
import { mayApprove } from '../../rules/gate/approver-rule.ts'
import { newId } from '../../util/ids.ts'
import type { Ask } from '../call/ask-again.ts'
import type { GateTransaction } from '../call/gate/call-context.ts'
import { refuseReady } from '../call/refuse-call.ts'
import { whoMayAnswer } from '../card/read-card.ts'
import { showBatch, showCard } from '../card/route-card.ts'
import type { CoreContext } from '../context.ts'
import { findAnswerer, listedPeople } from '../people/people.ts'
import { createApproval, ruleOfAsk } from './insert-question.ts'

/** APPR-10: more approvals of one step than this, under the same rule, go on one card. */
const mostAlone = 5

/**
 * APPR-01: inserts approvals and posts their cards in the transaction that makes the calls wait; no process holds state. A card
 * with a preview waits for it; a call is approvable only once fully shown. Calls that too few could approve are refused instead.
 * Returns whether any was refused (ERR-07).
 */
export async function requestApprovals(
  tx: GateTransaction,
  asks: readonly Ask[],
): Promise<boolean> {
  const askable = await refuseUnaskable(tx, asks)
  const batchOf = await beginBatches(tx, askable)
  for (const ask of askable) {
    const batchId = batchOf.get(ask) ?? null
    const { approval, isReady } = await createApproval(tx, ask, batchId)
    if (isReady && batchId === null) await showCard(tx, approval)
  }
  for (const id of new Set(batchOf.values())) await showBatch(tx, id)
  return askable.length < asks.length
}

/** Refuses calls that too few people could approve and returns the rest. */
async function refuseUnaskable(tx: GateTransaction, asks: readonly Ask[]): Promise<readonly Ask[]> {
  const askable: Ask[] = []
  for (const ask of asks) {
    const rule = ruleOfAsk(tx.ctx, tx.facts, ask)
    const error = await approverShortage(tx.ctx, tx.db, tx.turn.caller_id, rule)
    if (error === undefined) askable.push(ask)
    else await refuseReady(tx, ask.call, { state: 'failed', error })
  }
  return askable
}

/** APPR-17: a card goes to those who may answer it, so all approvals on a batch card share one rule. */
async function beginBatches(
  tx: GateTransaction,
  asks: readonly Ask[],
): Promise<ReadonlyMap<Ask, string>> {
  const found = new Map<Ask, string>()
  const groups = Map.groupBy(asks, (ask) => JSON.stringify(ruleOfAsk(tx.ctx, tx.facts, ask)))
  for (const group of groups.values()) {
    if (group.length <= mostAlone) continue
    const id = newId()
    const place = { session_id: tx.session.id, conversation_id: tx.conversation.id }
    await insertBatch(tx.db, { id, ...place })
    for (const ask of group) found.set(ask, id)
  }
  return found
}

/**
 * ERR-07: returns the error for a call of `callerId` that too few people could approve; undefined if there are enough. People
 * named in the configuration count even before their first message.
 */
async function approverShortage(
  ctx: CoreContext,
  db: Db,
  callerId: string,
  rule: ApproverRule,
): Promise<ToolError | undefined> {
  const asksItself = rule.leastRole === 'user' && rule.allowSelf
  if (asksItself && rule.people === 1) return undefined
  const people = await findApprovers(ctx, db, callerId, rule)
  if (people.size >= rule.people) return undefined
  // The model reads it.
  const who = whoMayAnswer(english, rule, 'the person')
  const message = `a call like this must be approved by ${who}; ${countOf(people.size)} could`
  return { category: 'confirmation_required', message }
}

/** Returns the people who could approve, by person id. */
async function findApprovers(
  ctx: CoreContext,
  db: Db,
  callerId: string,
  rule: ApproverRule,
): Promise<ReadonlySet<string>> {
  const { escalateTo } = ctx.settings.routing
  const asked = new Set(escalateTo)
  const personOf = await readPeople(db)
  const asker = personOf(callerId)
  const people = new Set<string>()
  for (const { id } of await findReach(db, [callerId, ...escalateTo])) {
    const caller = await findAnswerer(ctx, db, id)
    if (caller === undefined) continue
    const person = personOf(id)
    const approver = { ...caller, isSelf: person === asker, isAsked: asked.has(id) }
    if (mayApprove(approver, rule)) people.add(person)
  }
  const expected = (await findExpected(ctx, db, rule)).map(personOf)
  for (const person of expected) if (person !== asker) people.add(person)
  return people
}

/** Returns the accounts that the configuration lets approve such calls; a username not seen yet stands for itself. */
async function findExpected(
  ctx: CoreContext,
  db: Db,
  rule: ApproverRule,
): Promise<readonly string[]> {
  const expected: string[] = []
  for (const [platform, lists] of Object.entries(ctx.people)) {
    const approving = listedPeople(platform, lists).filter(
      ({ role }) => may({ role }, 'decide_for_others') && isAtLeast(role, rule.leastRole),
    )
    if (approving.length === 0) continue
    const pins = new Map((await findAllPins(db, platform)).map((pin) => [pin.username, pin]))
    for (const { person } of approving) {
      if (person.kind === 'id') expected.push(person.callerId)
      else expected.push(pins.get(person.username)?.caller_id ?? `@${person.username}`)
    }
  }
  return expected
}

function countOf(people: number): string {
  return people === 0 ? 'nobody' : `only ${people === 1 ? 'one person' : `${people} people`}`
}
