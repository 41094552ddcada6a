import { type BoxRestart, takeBoxRestarts } from '../../db/call/box-restarts.ts'
import { inTransaction } from '../../db/database.ts'
import type { Db } from '../../db/schema.ts'
import { findRecentReplicas } from '../../db/worker/workers.ts'
import { toolsQueue } from '../../rules/jobs/contract.ts'
import { type JobFacts, maxJobAgeMs, signJob } from '../../rules/jobs/sign.ts'
import { newId } from '../../util/new-id.ts'
import type { CallContext } from './gate/call-context.ts'

/**
 * Has the boxes restarted that people asked for, so that nothing a command left behind goes on (DECISIONS 1). Each
 * replica is told through its own queue, also one that is not heard of just now: it may be cut off, and finds the job when
 * it is back. What cannot be sent is asked for again. Boxes of a dead replica died with it.
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
