import { findPending } from '../../../db/approval/approvals.ts'
import { countFiltered } from '../../../db/call/latest-calls.ts'
import { countCached } from '../../../db/call/result-cache.ts'
import { findTrust } from '../../../db/call/tool-trust.ts'
import { countMessages } from '../../../db/turn/messages.ts'
import { findLiveTurn } from '../../../db/turn/turns.ts'
import { sumUsage } from '../../../db/turn/usage.ts'
import { findLiveAgents } from '../../../db/worker/agents.ts'
import { findServers } from '../../../db/worker/mcp-tools.ts'
import { findKnownReplicas } from '../../../db/worker/workers.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import type { ToolTrust } from '../../../domain/trust.ts'
import { makeVisible } from '../../../rules/gate/visible.ts'
import { warningIn } from '../../approval/build-card.ts'
import { readWarnings } from '../../call/gate/call-context.ts'
import { differingRules } from '../../call/gate/file-rules.ts'
import { budgetLinesOf } from './budget.ts'
import { type CommandTransaction, reply } from './command.ts'
import { threadHints } from './is-private.ts'
import { describeChoice, findModelChoices } from './model.ts'
import { stateOf } from './worker.ts'

/** Shows model, worker, quota, tokens, cost and pending approvals, with security warnings in plain words. */
export async function status(tx: CommandTransaction): Promise<void> {
  const { ctx, db, session } = tx
  const messages = ctx.messages.status
  const [agent] = await findLiveAgents(db)
  const { chosen } = await findModelChoices(db, session)
  const [replica] = await findKnownReplicas(db, session.worker)
  const differing = await differingRules(db, ctx.messages)
  const warnings = [
    ...[replica, agent]
      .flatMap((of) => (of === undefined ? [] : readWarnings(of)))
      .map((warning) => warningIn(ctx.messages, warning)),
    ...differing.map(messages.differingRules),
  ]
  const lines = [
    agent === undefined
      ? messages.agentAway
      : ctx.messages.commands.model.present({
          model: chosen === undefined ? agent.model : describeChoice(chosen),
        }),
    ctx.messages.commands.worker.present({
      worker: session.worker,
      state: await stateOf(tx, session.worker),
    }),
    await turnLine(tx),
    ...(await threadHints(tx)),
    messages.toolCalls({
      used: session.calls_used,
      limit: ctx.settings.maxToolCallsPerSession,
    }),
    await usageLine(tx),
    ...(await budgetLinesOf(tx)),
    ...(await filterLines(tx)),
    ...(await cacheLines(tx)),
    messages.messages({ count: await countMessages(db, session.id) }),
    ...(await serverLines(tx)),
    ...trustLines(ctx.messages, await findTrust(db)),
    ...warnings.map((warning) => messages.warning({ warning })),
  ]
  await reply(tx, lines.join('\n'))
}

/** REACH-02: MCP servers of this worker that are away. */
async function serverLines({ ctx, db, session }: CommandTransaction): Promise<readonly string[]> {
  const { mcp } = ctx.messages
  const servers = await findServers(db, session.worker)
  const up = new Set(servers.flatMap(({ server, state }) => (state === 'up' ? [server] : [])))
  const away = servers.filter(({ server }) => !up.has(server))
  return away.map(({ server, note }) => {
    const state = mcp.away({ why: makeVisible(note ?? '') })
    return `MCP ${mcp.server({ server, state, tools: '' })}`
  })
}

/** OUT-06: counts outputs by filter confidence: full, partial, fallback. */
async function filterLines(tx: CommandTransaction): Promise<readonly string[]> {
  const { ctx, db, session } = tx
  const counts = await countFiltered(db, session.id)
  if (counts.full + counts.partial + counts.fallback === 0) return []
  return [ctx.messages.status.filters(counts)]
}

/** OUT-11: returns the number of calls answered from the cache, if any. */
async function cacheLines(tx: CommandTransaction): Promise<readonly string[]> {
  const { ctx, db, session } = tx
  const count = await countCached(db, session.id)
  return count === 0 ? [] : [ctx.messages.status.cached({ count })]
}

/** POL-03: lists blocked and quarantined tools; `trust list` shows operators why. */
function trustLines({ status }: Messages, trust: ToolTrust): readonly string[] {
  const lines = { blocked: status.blockedTools, quarantined: status.quarantinedTools }
  return (['blocked', 'quarantined'] as const).flatMap((level) => {
    const tools = [...trust].flatMap(([tool, at]) => (at === level ? [tool] : []))
    return tools.length === 0 ? [] : [lines[level]({ tools: tools.join(', ') })]
  })
}

async function turnLine(tx: CommandTransaction): Promise<string> {
  const { ctx, db, session } = tx
  const messages = ctx.messages.status
  const turn = await findLiveTurn(db, session.id)
  const pending = await findPending(db, session.id)
  const numbers = pending.map((approval) => approval.number).join(', ')
  const waits = pending.length === 0 ? messages.nothingWaits : messages.waits({ numbers })
  return messages.turn({ state: messages.turnStates[turn?.state ?? 'none'], waits })
}

async function usageLine(tx: CommandTransaction): Promise<string> {
  const { ctx, db, session } = tx
  const { input, output, cached, costUsd } = await sumUsage(db, session.id)
  const { status: messages, turns } = ctx.messages
  return [
    messages.tokens({ input, cached, output }),
    ...(costUsd === 0 ? [] : [turns.amount({ unit: 'cost', value: costUsd })]),
  ].join(', ')
}
