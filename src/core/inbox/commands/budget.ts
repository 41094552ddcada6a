import { recordBudgetNote } from '../../../db/turn/budgets.ts'
import { findLastTurn } from '../../../db/turn/retries.ts'
import { describeBudget } from '../../../domain/budget.ts'
import { may } from '../../../domain/caller.ts'
import { type Budget, readBudgets } from '../../call/budgets.ts'
import { type CommandTransaction, noteCommand, reply, replyAlone } from './command.ts'

/** LOOP-15: shows today's budgets; operators may lift those of this session and of its last caller. */
export async function budget(tx: CommandTransaction, text: string): Promise<void> {
  if (text === '') return reply(tx, (await budgetLinesOf(tx)).join('\n') || none)
  if (text !== 'lift') return replyAlone(tx, 'It is /budget, or /budget lift.')
  if (!may(tx.caller, 'lift_budgets')) {
    return replyAlone(tx, 'Only an operator may lift a budget.')
  }
  return lift(tx)
}

const none = 'No budget is set.'

/** Returns a line for each budget that applies to the caller here. */
export async function budgetLinesOf(tx: CommandTransaction): Promise<readonly string[]> {
  const { ctx, db, session, caller } = tx
  const budgets = await readBudgets(ctx, db, { session, callerId: caller.id })
  return budgets.map(describe)
}

function describe({ owner, lines, liftedBy }: Budget): string {
  const lifted = liftedBy === undefined ? '' : ` (lifted for today by ${liftedBy})`
  return `Budget today, ${owner}: ${lines.map(describeBudget).join(', ')}${lifted}`
}

async function lift(tx: CommandTransaction): Promise<void> {
  const { ctx, db, session, caller } = tx
  const last = await findLastTurn(db, session.id)
  const callerId = last?.caller_id ?? caller.id
  const budgets = await readBudgets(ctx, db, { session, callerId })
  if (budgets.length === 0) return reply(tx, none)
  for (const { scope } of budgets) await recordBudgetNote(db, scope, 'lifted', caller.name)
  await noteCommand(tx, `/budget lift: ${budgets.map(({ scope }) => scope).join(', ')}`)
  const owners = budgets.map(({ owner }) => owner).join(' and ')
  await reply(tx, `Lifted until 00:00 UTC for ${owners}. /retry goes on with a turn that ended.`)
}
