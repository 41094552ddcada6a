import { recordBudgetNote } from '../../../db/turn/budgets.ts'
import { findLastTurn } from '../../../db/turn/retries.ts'
import { describeBudget } from '../../../domain/budget.ts'
import { may } from '../../../domain/caller.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import { type Budget, readBudgets } from '../../call/budgets.ts'
import { type CommandTransaction, noteCommand, reply, replyAlone } from './command.ts'

/** LOOP-15: shows today's budgets; operators may lift those of this session and of its last caller. */
export async function budget(tx: CommandTransaction, text: string): Promise<void> {
  const messages = tx.ctx.messages.commands.budget
  if (text === '') return reply(tx, (await budgetLinesOf(tx)).join('\n') || messages.none)
  if (text !== 'lift')
    return replyAlone(tx, tx.ctx.messages.commands.usage({ command: '/budget [lift]' }))
  if (!may(tx.caller, 'lift_budgets')) {
    return replyAlone(tx, messages.operatorsOnly)
  }
  return lift(tx)
}

/** Returns a line for each budget that applies to the caller here. */
export async function budgetLinesOf(tx: CommandTransaction): Promise<readonly string[]> {
  const { ctx, db, session, caller } = tx
  const budgets = await readBudgets(ctx, db, { session, callerId: caller.id })
  return budgets.map((budget) => describe(ctx.messages, budget))
}

function describe(messages: Messages, { owner, lines, liftedBy }: Budget): string {
  const { liftedBy: lifted, today } = messages.commands.budget
  const spent = lines.map((line) => describeBudget(messages, line)).join(', ')
  return [
    today({ owner, lines: spent }),
    ...(liftedBy === undefined ? [] : [lifted({ name: liftedBy })]),
  ].join(' ')
}

async function lift(tx: CommandTransaction): Promise<void> {
  const { ctx, db, session, caller } = tx
  const last = await findLastTurn(db, session.id)
  const callerId = last?.caller_id ?? caller.id
  const budgets = await readBudgets(ctx, db, { session, callerId })
  if (budgets.length === 0) return reply(tx, ctx.messages.commands.budget.none)
  for (const { scope } of budgets) await recordBudgetNote(db, scope, 'lifted', caller.name)
  await noteCommand(tx, `/budget lift: ${budgets.map(({ scope }) => scope).join(', ')}`)
  const owners = ctx.messages.format.all(budgets.map(({ owner }) => owner))
  await reply(tx, ctx.messages.commands.budget.lifted({ owners }))
}
