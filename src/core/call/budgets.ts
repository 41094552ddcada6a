import { lockByName } from '../../db/locks.ts'
import { findKnownCaller } from '../../db/people/callers.ts'
import type { Db } from '../../db/schema.ts'
import { type BudgetScope, findLift, recordBudgetNote, sumSpent } from '../../db/turn/budgets.ts'
import {
  type BudgetLine,
  budgetLines,
  type DailyLimits,
  describeBudget,
  describeLimit,
} from '../../domain/budget.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import type { CoreContext } from '../context.ts'
import { notice, type TurnRows, type TurnTransaction } from '../transaction.ts'

/** Budget of a person or session for today. */
export interface Budget {
  readonly scope: BudgetScope
  /** Owner, in words that follow `of`. */
  readonly owner: string
  readonly lines: readonly BudgetLine[]
  /** Name of the person who lifted it for today. */
  readonly liftedBy: string | undefined
}

type BudgetSubject = Pick<TurnRows, 'session'> & { readonly callerId: string }

/** LOOP-15: returns the budgets that apply to a caller in a session, with what was spent; none for exempt callers. */
export async function readBudgets(
  ctx: CoreContext,
  db: Db,
  whose: BudgetSubject,
): Promise<Budget[]> {
  const { caller, session, exempt } = ctx.settings.budgets
  if (exempt.includes(whose.callerId)) return []
  if (![caller, session].some(isLimited)) return []
  const name = (await findKnownCaller(db, whose.callerId))?.name ?? whose.callerId
  const known = [
    await readBudget(db, `caller:${whose.callerId}`, name, caller),
    await readBudget(db, `session:${whose.session.id}`, ctx.messages.turns.thisSession, session),
  ]
  return known.filter((budget) => budget !== undefined)
}

async function readBudget(
  db: Db,
  scope: BudgetScope,
  owner: string,
  limits: DailyLimits,
): Promise<Budget | undefined> {
  if (!isLimited(limits)) return undefined
  const lines = budgetLines(limits, await sumSpent(db, scope))
  return { scope, owner, lines, liftedBy: await findLift(db, scope) }
}

function isLimited(limits: DailyLimits): boolean {
  return Object.values(limits).some((limit) => limit !== undefined)
}

/** Exceeded budget. */
export interface OverBudget {
  readonly owner: string
  readonly line: BudgetLine
}

/**
 * LOOP-15: returns the first budget without room for another model call, or undefined. A call's cost is known only afterwards:
 * concurrent calls of one person in several sessions may each overrun by one.
 */
export function usedUp(budgets: readonly Budget[]): OverBudget | undefined {
  return firstOf(budgets, ({ unit, spent, limit }) => unit !== 'toolCalls' && spent >= limit)
}

/** Returns the first budget without room for `count` further tool calls. */
export function withoutRoom(budgets: readonly Budget[], count: number): OverBudget | undefined {
  return firstOf(budgets, ({ unit, spent, limit }) => unit === 'toolCalls' && spent + count > limit)
}

function firstOf(
  budgets: readonly Budget[],
  isOver: (line: BudgetLine) => boolean,
): OverBudget | undefined {
  for (const { owner, lines, liftedBy } of budgets) {
    const line = liftedBy === undefined ? lines.find(isOver) : undefined
    if (line !== undefined) return { owner, line }
  }
  return undefined
}

/** Describes an exceeded budget and how to continue, without full stop. */
export function describeExceeded(messages: Messages, { owner, line }: OverBudget): string {
  return messages.turns.budgetUsed({
    owner,
    limit: describeLimit(messages, line),
    spent: describeBudget(messages, line),
  })
}

/**
 * Reads a person's budgets under a lock held until the transaction ends, so that their calls in several sessions are counted one
 * at a time. Call under the session's lock.
 */
export async function holdBudgets(tx: TurnTransaction): Promise<Budget[]> {
  const { caller, session } = tx.ctx.settings.budgets
  if (caller.toolCalls === undefined && session.toolCalls === undefined) return []
  const { caller_id: callerId } = tx.turn
  await lockByName(tx.db, `budget ${callerId}`)
  return readBudgets(tx.ctx, tx.db, { session: tx.session, callerId })
}

/** LOOP-15: warns once a day when a budget is nearly used up. */
export async function warnOfBudgets(
  tx: TurnTransaction,
  budgets: readonly Budget[],
): Promise<void> {
  const { messages, settings } = tx.ctx
  const { warnAt } = settings.budgets
  for (const { scope: of, owner, lines, liftedBy } of budgets) {
    if (liftedBy !== undefined) continue
    for (const line of lines.filter(({ spent, limit }) => spent >= warnAt * limit)) {
      if (!(await recordBudgetNote(tx.db, of, `warned ${line.unit}`))) continue
      const limit = describeLimit(messages, line)
      const spent = describeBudget(messages, line)
      const text = messages.turns.budgetWarning({ owner, limit, spent })
      await notice(tx, tx.conversation.id, text, tx.turn.caller_id)
    }
  }
}
