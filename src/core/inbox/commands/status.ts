import { findPending } from '../../../db/approvals.ts'
import { countMessages } from '../../../db/messages.ts'
import { findLiveTurn } from '../../../db/turns.ts'
import { sumUsage } from '../../../db/usage.ts'
import { findLiveReplicas } from '../../../db/workers.ts'
import { allowsEverything } from '../../../rules/gate/permissions/allows-everything.ts'
import { loadFacts } from '../../call/load-facts.ts'
import { type CommandContext, reply } from './command.ts'

/** Model, worker, quota, tokens, cost, what waits; and in plain words what makes this place less safe. */
export async function status(context: CommandContext): Promise<void> {
  const { kernel, db, session, caller } = context
  const facts = await loadFacts(kernel, db, session, caller.id)
  const lines = [
    `Model: ${kernel.modelName}`,
    await workerLine(context, facts.driver),
    await turnLine(context),
    `Tool calls: ${session.calls_used} of ${kernel.settings.maxToolCallsPerSession ?? 'unlimited'}`,
    await usageLine(context),
    `Messages: ${await countMessages(db, session.id)}`,
    ...facts.warnings.map((warning) => `Warning: ${warning}`),
  ]
  if (allowsEverything(facts.worker)) {
    lines.push('Warning: the worker’s rules allow everything; nothing asks.')
  }
  if (facts.worker.kind === 'damaged') {
    const where = kernel.permissions.describe(session.worker)
    const problems = facts.worker.problems.map(
      (problem) => `line ${problem.line}: ${problem.message}`,
    )
    lines.push(`Warning: ${where} is damaged, so everything asks (${problems.join('; ')})`)
  }
  await reply(context, lines.join('\n'))
}

async function workerLine({ db, session }: CommandContext, driver: string): Promise<string> {
  const replicas = await findLiveReplicas(db, session.worker)
  const state = replicas.length === 0 ? 'away' : `sandbox ${driver}`
  return `Worker: ${session.worker} (${state})`
}

async function turnLine({ db, session }: CommandContext): Promise<string> {
  const turn = await findLiveTurn(db, session.id)
  const pending = await findPending(db, session.id)
  const numbers = pending.map((approval) => approval.number).join(', ')
  const waits =
    pending.length === 0 ? 'nothing waits for an answer' : `waiting for an answer: ${numbers}`
  return `Turn: ${turn?.state ?? 'none'}; ${waits}`
}

async function usageLine({ db, session }: CommandContext): Promise<string> {
  const { input, output, cached, costUsd } = await sumUsage(db, session.id)
  const cost = costUsd === 0 ? '' : `, ${costUsd.toFixed(4)} USD`
  return `Tokens: ${input} in (${cached} cached), ${output} out${cost}`
}
