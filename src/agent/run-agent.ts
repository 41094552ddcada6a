import { z } from 'zod'
import { carryOutOrders } from '../core/approval/rules-orders.ts'
import { checkpoint } from '../core/audit/checkpoint.ts'
import { resendCancels } from '../core/call/resend-calls.ts'
import { restartBoxes } from '../core/call/restart-boxes.ts'
import {
  receiveWorkerMessage,
  recordUntoldDrops,
} from '../core/call/result/receive-worker-message.ts'
import { advanceTurn } from '../core/turn/advance-turn.ts'
import { createSweeper } from '../core/turn/create-sweeper.ts'
import type { TurnContext } from '../core/turn/turn-context.ts'
import { deleteOldTokens } from '../db/approval/old-tokens.ts'
import { deleteOldOverflow } from '../db/call/overflow.ts'
import { findTurn } from '../db/turn/turns.ts'
import { deleteOldOutputFiles } from '../db/upload/attachments.ts'
import { deleteOldUploads } from '../db/upload/uploads.ts'
import { deleteLostAgents } from '../db/worker/agents.ts'
import { deleteOldReplicas } from '../db/worker/workers.ts'
import type { Bus } from '../ports/bus.ts'
import type { Queue } from '../ports/queue.ts'
import {
  boxesTopic,
  resultsQueue,
  rulesTopic,
  stopTopic,
  toolsQueue,
  turnsQueue,
} from '../rules/jobs/contract.ts'
import { withinMs } from '../util/abort.ts'
import { atMost } from '../util/at-most.ts'
import { runPeriodically } from '../util/run-periodically.ts'
import { announceAgent } from './announce-agent.ts'
import { toTextSigner } from './to-text-signer.ts'

export interface AgentOptions {
  readonly ctx: TurnContext
  readonly queue: Queue
  readonly bus: Bus
  /** Turns stepped at once. */
  readonly concurrency: number
  readonly checkpointEveryMs: number
  /** How long model calls may go on after the agent was told to stop. */
  readonly graceMs: number
  /** AUD-03: what is to be done with the audit daily. */
  readonly keepAudit: () => Promise<void>
  /** Deletes what the configuration no longer keeps, daily. */
  readonly keepRetention: () => Promise<void>
  /** Verifies the audit where that is due (AUD-02). */
  readonly verifyAudit: () => Promise<void>
}

const turnJob = z.object({ turnId: z.uuid() })
const stopEvent = z.object({ turnId: z.uuid() })
const resultsAtOnce = 16
const sweepEveryMs = 1_000
const minuteMs = 60_000
/** Of one kind; what is more is left to the sweeper, so that a flood of them holds up nothing else. */
const signalsAtOnce = 16
const dayMs = 86_400_000
const verifyCheckMs = 5 * 60_000
/** Much longer than a result may take to be delivered: until then its key is needed. */
const replicaDays = 1

/** Listens to workers: their greetings and results. Begin with it, so that a worker is known before its first job. */
export function receiveResults(ctx: TurnContext, queue: Queue): Promise<AsyncDisposable> {
  return queue.consume(resultsQueue, resultsAtOnce, (job) => receiveWorkerMessage(ctx, job.data))
}

/** Carries turns forward, as one of any number of agents, and sweeps up what crashes left. */
export async function runAgent(options: AgentOptions): Promise<AsyncDisposable> {
  const { ctx, queue, bus, concurrency } = options
  const resources = new AsyncDisposableStack()
  resources.use(await announceAgent(ctx))
  const stop = atMost(signalsAtOnce, (payload: unknown) => stopTurn(ctx, payload))
  const restart = atMost(signalsAtOnce, () => guarded(ctx, restartBoxes(ctx)))
  resources.use(await bus.subscribe(stopTopic, (payload) => void stop(payload)))
  resources.use(await bus.subscribe(boxesTopic, () => void restart()))
  const orders = atMost(signalsAtOnce, () => guarded(ctx, carryOutOrders(ctx)))
  resources.use(await bus.subscribe(rulesTopic, () => void orders()))
  const advance = async (data: unknown) => advanceTurn(ctx, turnJob.parse(data).turnId)
  const consumer = await queue.consume(turnsQueue, concurrency, (job) => advance(job.data))
  resources.defer(() => drain(consumer, options))
  keepHouse(resources, options)
  return resources
}

/**
 * An aborted model call ends its step; the answer, if one still comes, is dropped by its epoch. What workers have of the
 * turn is cancelled, and again by the sweeper until it is settled.
 */
async function stopTurn(ctx: TurnContext, payload: unknown): Promise<void> {
  const event = stopEvent.safeParse(payload)
  if (!event.success) return
  const { turnId } = event.data
  await guarded(ctx, endTurnWork(ctx, turnId))
}

/** The row decides: anybody who reaches the bus can say that a turn was stopped, and have the model asked again. */
async function endTurnWork(ctx: TurnContext, turnId: string): Promise<void> {
  const turn = await findTurn(ctx.db, turnId)
  if (turn !== undefined && turn.ended_at !== null) {
    ctx.underWay.get(turnId)?.abort(new Error('the turn was stopped'))
  }
  await resendCancels(ctx, turnId)
}

/** What nobody waits for; the sweeper does it again. */
async function guarded(ctx: TurnContext, work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'a signal was not acted on; the sweeper does it'),
  )
}

/** PROC-03: no new jobs; what the model has not answered within the grace is left to whoever comes next. */
async function drain(consumer: AsyncDisposable, { ctx, graceMs }: AgentOptions): Promise<void> {
  const drained = consumer[Symbol.asyncDispose]()
  await withinMs(drained, graceMs, undefined)
  const abortAll = (): void => {
    for (const call of ctx.underWay.values()) call.abort(new Error('the agent was stopped'))
  }
  abortAll()
  // A step in hand may still come to ask the model.
  const again = setInterval(abortAll, 100)
  try {
    await drained
  } finally {
    clearInterval(again)
  }
}

function logged(ctx: TurnContext): (error: unknown) => void {
  return (error) => ctx.log.warn({ err: error }, 'the last checkpoint could not be signed')
}

function keepHouse(resources: AsyncDisposableStack, options: AgentOptions): void {
  const { ctx, queue, checkpointEveryMs } = options
  const signer = toTextSigner(ctx.signer)
  const days = ctx.settings.overflowRetentionDays
  // What came since the last one is signed at a stop too; nothing else would until the next start.
  resources.defer(() => checkpoint(ctx, signer).catch(logged(ctx)))
  resources.use(runPeriodically(sweepEveryMs, ctx.log, 'sweep', createSweeper(ctx)))
  resources.use(runPeriodically(minuteMs, ctx.log, 'dropped', () => recordUntoldDrops(ctx)))
  resources.use(
    runPeriodically(checkpointEveryMs, ctx.log, 'checkpoint', () => checkpoint(ctx, signer)),
  )
  resources.use(runPeriodically(dayMs, ctx.log, 'audit', options.keepAudit))
  resources.use(runPeriodically(verifyCheckMs, ctx.log, 'audit verification', options.verifyAudit))
  resources.use(
    runPeriodically(dayMs, ctx.log, 'retention', async () => {
      await options.keepRetention()
      await deleteOldOverflow(ctx.db, days)
      await deleteOldOutputFiles(ctx.db, days)
      await deleteOldUploads(ctx.db, days)
      await deleteOldTokens(ctx.db, days)
      for (const { name, replica } of await deleteOldReplicas(ctx.db, replicaDays)) {
        await queue.forget(toolsQueue(name, replica))
      }
      await deleteLostAgents(ctx.db)
    }),
  )
}
