import { findPending } from '../../../db/approval/approvals.ts'
import { countFiltered } from '../../../db/call/latest-calls.ts'
import { countCached } from '../../../db/call/result-cache.ts'
import { findTrust } from '../../../db/call/tool-trust.ts'
import { countMessages } from '../../../db/turn/messages.ts'
import { findLiveTurn } from '../../../db/turn/turns.ts'
import { sumUsage } from '../../../db/turn/usage.ts'
import { findLiveAgents } from '../../../db/worker/agents.ts'
import { findKnownReplicas, findLiveReplicas } from '../../../db/worker/workers.ts'
import type { ToolTrust } from '../../../domain/trust.ts'
import { differingRules } from '../../call/gate/file-rules.ts'
import { readWarnings } from '../../call/gate/load-facts.ts'
import { budgetLinesOf } from './budget.ts'
import { type CommandTransaction, reply } from './command.ts'
import { threadHints } from './is-private.ts'
import { describeChoice, findModelChoices } from './model.ts'

/** Shows model, worker, quota, tokens, cost and pending approvals, with security warnings in plain words. */
export async function status(tx: CommandTransaction): Promise<void> {
  const { ctx, db, session } = tx
  const [agent] = await findLiveAgents(db)
  const { chosen } = await findModelChoices(db, session)
  const [replica] = await findKnownReplicas(db, session.worker)
  const differing = await differingRules(db)
  const warnings = [
    ...[replica, agent].flatMap((of) => (of === undefined ? [] : readWarnings(of))),
    ...differing.map(({ finding, fix }) => `${finding}. To fix it, ${fix}.`),
  ]
  const lines = [
    agent === undefined
      ? 'Agent: away; what you write is kept until it is back'
      : `Model: ${chosen === undefined ? agent.model : describeChoice(chosen)}`,
    await workerLine(tx, replica?.driver ?? 'unknown'),
    await turnLine(tx),
    ...(await threadHints(tx)),
    `Tool calls: ${session.calls_used} of ${ctx.settings.maxToolCallsPerSession ?? 'unlimited'}`,
    await usageLine(tx),
    ...(await budgetLinesOf(tx)),
    ...(await filterLines(tx)),
    ...(await cacheLines(tx)),
    `Messages: ${await countMessages(db, session.id)}`,
    ...trustLines(await findTrust(db)),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ]
  await reply(tx, lines.join('\n'))
}

/** OUT-06: counts outputs by filter confidence: full, partial, fallback. */
async function filterLines(tx: CommandTransaction): Promise<readonly string[]> {
  const { db, session } = tx

  const { full, partial, fallback } = await countFiltered(db, session.id)
  if (full + partial + fallback === 0) return []
  return [`Output filters (F/P/B): ${full}/${partial}/${fallback}`]
}

/** OUT-11: returns the number of calls answered from the cache, if any. */
async function cacheLines(tx: CommandTransaction): Promise<readonly string[]> {
  const { db, session } = tx

  const calls = await countCached(db, session.id)
  return calls === 0 ? [] : [`Answered from the result cache: ${calls}`]
}

/** POL-03: lists blocked and quarantined tools; `trust list` shows operators why. */
function trustLines(trust: ToolTrust): readonly string[] {
  return (['blocked', 'quarantined'] as const).flatMap((level) => {
    const tools = [...trust].flatMap(([tool, at]) => (at === level ? [tool] : []))
    return tools.length === 0 ? [] : [`Tools ${level}: ${tools.join(', ')}`]
  })
}

async function workerLine(tx: CommandTransaction, driver: string): Promise<string> {
  const { db, session } = tx

  const replicas = await findLiveReplicas(db, session.worker)
  const state = replicas.length === 0 ? 'away' : `sandbox ${driver}`
  return `Worker: ${session.worker} (${state})`
}

async function turnLine(tx: CommandTransaction): Promise<string> {
  const { db, session } = tx

  const turn = await findLiveTurn(db, session.id)
  const pending = await findPending(db, session.id)
  const numbers = pending.map((approval) => approval.number).join(', ')
  const waits =
    pending.length === 0 ? 'nothing waits for an answer' : `waiting for an answer: ${numbers}`
  return `Turn: ${turn?.state ?? 'none'}; ${waits}`
}

async function usageLine(tx: CommandTransaction): Promise<string> {
  const { db, session } = tx

  const { input, output, cached, costUsd } = await sumUsage(db, session.id)
  const cost = costUsd === 0 ? '' : `, ${costUsd.toFixed(4)} USD`
  return `Tokens: ${input} in (${cached} cached), ${output} out${cost}`
}
