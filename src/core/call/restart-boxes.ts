import { type BoxRestart, takeBoxRestarts } from '../../db/call/box-restarts.ts'
import { inTransaction } from '../../db/database.ts'
import type { Db } from '../../db/schema.ts'
import { findRecentReplicas } from '../../db/worker/workers.ts'
import { toolsQueue } from '../../rules/jobs/contract.ts'
import { type JobFacts, maxJobAgeMs, signJob } from '../../rules/jobs/sign.ts'
import { newId } from '../../util/ids.ts'
import type { CallContext } from './gate/call-context.ts'

/**
 * Restarts boxes that people asked to restart, so that no process left by a command survives (DECISIONS 1). Every recent replica
 * gets the job through its own queue, even a silent one, which finds it when it returns. A failed send is retried. Boxes of a
 * dead replica died with it.
 */
export async function restartBoxes(ctx: CallContext): Promise<void> {
  await inTransaction(ctx.db, async (db) => {
    for (const restart of await takeBoxRestarts(db)) await send(ctx, db, restart)
  })
}

async function send(ctx: CallContext, db: Db, restart: BoxRestart): Promise<void> {
  for (const replica of await findRecentReplicas(db, restart.worker, maxJobAgeMs)) {
    const id = newId()
    const job = signJob(ctx.signer, factsOf(restart, id), '{}', Math.floor(Date.now() / 1000))
    await ctx.signals.sendJob(toolsQueue(restart.worker, replica), `restart-${id}`, job)
  }
}

function factsOf({ conversationId, worker, callerId }: BoxRestart, id: string): JobFacts {
  const nothing = { allowed: [], denyRead: [], allowRead: [], denyByRule: [], masked: [] }
  return {
    type: 'restart',
    callId: id,
    turnId: id,
    epoch: 0,
    attempt: 1,
    worker,
    conversation: conversationId,
    tool: 'box',
    workspaceId: conversationId,
    rules: { workspace: '/', ...nothing },
    judged: [],
    timeoutMs: 1,
    network: false,
    caller: callerId,
  }
}
