import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { TurnKernel } from '../core/turn/turn-kernel.ts'
import { deleteAgent, saveAgent } from '../db/worker/agents.ts'
import type { Model } from '../ports/model.ts'
import { runPeriodically } from '../util/run-periodically.ts'
import { describeRules } from './describe-rules.ts'
import { rulesWarnings } from './rules-warnings.ts'
import { createRulesWatch } from './watch-rules.ts'

const announceEveryMs = 5_000
/** How long the farewell may take: a database that is away is not waited for. */
const farewellMs = 2_000

/** Tells the other processes, through the database, that this agent lives, and what `/status` says of it. */
export async function announceAgent(kernel: TurnKernel): Promise<AsyncDisposable> {
  const { db, log, agentId: id, model, fallback, choices, permissions, settings } = kernel
  const watchRules = createRulesWatch(db, log)
  const announce = async (): Promise<void> => {
    await saveAgent(db, {
      id,
      model: [model, fallback]
        .flatMap((one) => one ?? [])
        .map(described)
        .join(', then '),
      models: [...(choices ?? [])].map(([name, one]) => ({ name, about: described(one) })),
      warnings: await rulesWarnings(permissions, settings.worker),
      liveKey: kernel.liveKey,
      host: hostname(),
      rules: await describeRules(kernel),
    })
    await watchRules()
  }
  await announce()
  const announcing = runPeriodically(announceEveryMs, log, 'announce the agent', announce)
  return {
    [Symbol.asyncDispose]: async () => {
      await announcing[Symbol.asyncDispose]()
      const farewell = deleteAgent(db, id).catch(() => undefined)
      await Promise.race([farewell, delay(farewellMs, undefined, { ref: false })])
    },
  }
}

function described({ provider, name }: Model): string {
  return provider === name ? name : `${provider} ${name}`
}
