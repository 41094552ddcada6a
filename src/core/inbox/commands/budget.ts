import { recordBudgetNote } from '../../../db/turn/budgets.ts'
import { findLastTurn } from '../../../db/turn/retries.ts'
import { describeBudget } from '../../../domain/budget.ts'
import { may } from '../../../domain/rights.ts'
import { type Budget, readBudgets } from '../../call/budgets.ts'
import { type CommandContext, noteCommand, reply, replyAlone } from './command.ts'

/** LOOP-15: what is left today; operators lift the budgets of this session, and of whoever was answered last in it. */
export async function budget(context: CommandContext, text: string): Promise<void> {
  if (text === '') return reply(context, (await budgetLinesOf(context)).join('\n') || none)
  if (text !== 'lift') return replyAlone(context, 'It is /budget, or /budget lift.')
  if (!may(context.caller, 'lift_budgets')) {
    return replyAlone(context, 'Only an operator may lift a budget.')
  }
  return lift(context)
}

const none = 'No budget is set.'

/** A line for each budget that holds for whoever asks, here. */
export async function budgetLinesOf(context: CommandContext): Promise<readonly string[]> {
  const { ctx, db, session, caller } = context
  const budgets = await readBudgets(ctx, db, { session, callerId: caller.id })
  return budgets.map(describe)
}

function describe({ owner, lines, liftedBy }: Budget): string {
  const lifted = liftedBy === undefined ? '' : ` (lifted for today by ${liftedBy})`
  return `Budget today, ${owner}: ${lines.map(describeBudget).join(', ')}${lifted}`
}

async function lift(context: CommandContext): Promise<void> {
  const { ctx, db, session, caller } = context
  const last = await findLastTurn(db, session.id)
  const callerId = last?.caller_id ?? caller.id
  const budgets = await readBudgets(ctx, db, { session, callerId })
  if (budgets.length === 0) return reply(context, none)
  for (const { scope } of budgets) await recordBudgetNote(db, scope, 'lifted', caller.name)
  await noteCommand(context, `/budget lift: ${budgets.map(({ scope }) => scope).join(', ')}`)
  const owners = budgets.map(({ owner }) => owner).join(' and ')
  await reply(
    context,
    `Lifted until 00:00 UTC for ${owners}. /retry goes on with a turn that ended.`,
  )
}
