import { z } from 'zod'
import { runRulesOrders } from '../core/approval/rules-orders.ts'
import { sendDigest } from '../core/approval/send-digest.ts'
import { checkpoint } from '../core/audit/anchors.ts'
import { restartBoxes } from '../core/call/restart-boxes.ts'
import {
  receiveWorkerMessage,
  recordUntoldDrops,
} from '../core/call/result/receive-worker-message.ts'
import { resendCancels } from '../core/call/send-call.ts'
import { askAboutTools } from '../core/mcp/ask-about-tools.ts'
import { advanceTurn } from '../core/turn/advance-turn.ts'
import { createSweeper } from '../core/turn/sweep.ts'
import type { TurnContext } from '../core/turn/turn-context.ts'
import { deleteOldTokens } from '../db/approval/callback-tokens.ts'
import { deleteOldOverflow } from '../db/call/overflow.ts'
import { findTurn } from '../db/turn/turns.ts'
import { deleteOldOutputFiles } from '../db/upload/attachments.ts'
import { deleteOldUploads } from '../db/upload/uploads.ts'
import { deleteLostAgents } from '../db/worker/agents.ts'
import { deleteOldTools } from '../db/worker/mcp-tools.ts'
import { deleteOldReplicas } from '../db/worker/workers.ts'
import type { Bus } from '../ports/bus.ts'
import type { Queue } from '../ports/queue.ts'
import {
  boxesTopic,
  resultsQueue,
  rulesTopic,
  stopTopic,
  toolsQueue,
  toolsTopic,
  turnsQueue,
} from '../rules/jobs/contract.ts'
import { withinMs } from '../util/abort.ts'
import { skipWhenBusy } from '../util/each-of.ts'
import { runPeriodically } from '../util/run-periodically.ts'
import { toTextSigner } from './agent-identity.ts'
import { announceAgent } from './announce-agent.ts'

export interface AgentOptions {
  readonly ctx: TurnContext
  readonly queue: Queue
  readonly bus: Bus
  /** Turns processed concurrently. */
  readonly concurrency: number
  readonly checkpointEveryMs: number
  /** Grace period for model calls after the agent was told to stop. */
  readonly graceMs: number
  /** AUD-03: daily maintenance of the audit. */
  readonly maintainAudit: () => Promise<void>
  /** Daily deletion of data that the configuration no longer keeps. */
  readonly applyRetention: () => Promise<void>
  /** Verifies the audit if due (AUD-02). */
  readonly verifyAudit: () => Promise<void>
}

const turnJob = z.object({ turnId: z.uuid() })
const stopEvent = z.object({ turnId: z.uuid() })
const resultsAtOnce = 16
const sweepEveryMs = 1_000
const minuteMs = 60_000
/** A hint that tools have changed may be lost, and a worker may be gone. */
const reloadEveryMs = 15_000
/** Per kind; the sweeper handles the rest, so that a flood of signals delays nothing else. */
const signalsAtOnce = 16
const dayMs = 86_400_000
const digestCheckMs = 60 * 60_000
const verifyCheckMs = 5 * 60_000
/** Much longer than a result may take to arrive; until then its key is needed. */
const replicaDays = 1
/** Whoever brings a server back after that is asked about its tools again. */
const toolDays = 90

/** Receives workers' announcements and results. Start it first, so that a worker is known before its first job. */
export function receiveResults(ctx: TurnContext, queue: Queue): Promise<AsyncDisposable> {
  return queue.consume(resultsQueue, resultsAtOnce, (job) => receiveWorkerMessage(ctx, job.data))
}

/** Runs turns, as one of any number of agents, and recovers what crashes left behind. */
export async function runAgent(options: AgentOptions): Promise<AsyncDisposable> {
  const { ctx, queue, bus, concurrency } = options
  await using resources = new AsyncDisposableStack()
  resources.use(await announceAgent(ctx))
  const stop = skipWhenBusy(signalsAtOnce, (payload: unknown) => stopTurn(ctx, payload))
  const restart = skipWhenBusy(signalsAtOnce, () => guarded(ctx, restartBoxes(ctx)))
  resources.use(await bus.subscribe(stopTopic, (payload) => void stop(payload)))
  resources.use(await bus.subscribe(boxesTopic, () => void restart()))
  const orders = skipWhenBusy(signalsAtOnce, () => guarded(ctx, runRulesOrders(ctx)))
  resources.use(await bus.subscribe(rulesTopic, () => void orders()))
  const reload = skipWhenBusy(1, () => guarded(ctx, ctx.catalogue.load(ctx.db)))
  resources.use(await bus.subscribe(toolsTopic, () => void reload()))
  await ctx.catalogue.load(ctx.db)
  const advance = async (data: unknown) => advanceTurn(ctx, turnJob.parse(data).turnId)
  const consumer = await queue.consume(turnsQueue, concurrency, (job) => advance(job.data))
  resources.defer(() => drain(consumer, options))
  startMaintenance(resources, options)
  return resources.move()
}

/**
 * Aborts the turn's model call, which ends its step; a late answer is dropped by its epoch. The turn's jobs on workers are
 * cancelled, again by the sweeper until they are settled.
 */
async function stopTurn(ctx: TurnContext, payload: unknown): Promise<void> {
  const event = stopEvent.safeParse(payload)
  if (!event.success) return
  const { turnId } = event.data
  await guarded(ctx, endTurnWork(ctx, turnId))
}

/** Checks the row first: anyone on the bus can claim that a turn was stopped, and so cause another model request. */
async function endTurnWork(ctx: TurnContext, turnId: string): Promise<void> {
  const turn = await findTurn(ctx.db, turnId)
  if (turn !== undefined && turn.ended_at !== null) {
    ctx.runningModelCalls.get(turnId)?.abort(new Error('the turn was stopped'))
  }
  await resendCancels(ctx, turnId)
}

/** Runs work that is not awaited; the sweeper repeats it on failure. */
async function guarded(ctx: TurnContext, work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'failed to handle a signal; the sweeper will recover it'),
  )
}

/** PROC-03: accepts no new jobs; model calls still running after the grace period are left to the next holder. */
async function drain(consumer: AsyncDisposable, { ctx, graceMs }: AgentOptions): Promise<void> {
  const drained = consumer[Symbol.asyncDispose]()
  await withinMs(drained, graceMs, undefined)
  const abortAll = (): void => {
    for (const call of ctx.runningModelCalls.values())
      call.abort(new Error('the agent was stopped'))
  }
  abortAll()
  // A step in progress may still start a model call.
  const again = setInterval(abortAll, 100)
  try {
    await drained
  } finally {
    clearInterval(again)
  }
}

function logged(ctx: TurnContext): (error: unknown) => void {
  return (error) => ctx.log.warn({ err: error }, 'failed to sign the last checkpoint')
}

function startMaintenance(resources: AsyncDisposableStack, options: AgentOptions): void {
  const { ctx, queue, checkpointEveryMs } = options
  const signer = toTextSigner(ctx.signer)
  const days = ctx.settings.overflowRetentionDays
  // Sign new entries at a stop too; else they stay unsigned until the next start.
  resources.defer(() => checkpoint(ctx, signer).catch(logged(ctx)))
  resources.use(runPeriodically(sweepEveryMs, ctx.log, 'sweep', createSweeper(ctx)))
  resources.use(
    runPeriodically(reloadEveryMs, ctx.log, 'tools of MCP servers', async () => {
      await ctx.catalogue.load(ctx.db)
      await askAboutTools(ctx)
    }),
  )
  resources.use(runPeriodically(minuteMs, ctx.log, 'dropped', () => recordUntoldDrops(ctx)))
  resources.use(runPeriodically(digestCheckMs, ctx.log, 'weekly digest', () => sendDigest(ctx)))
  resources.use(
    runPeriodically(checkpointEveryMs, ctx.log, 'checkpoint', () => checkpoint(ctx, signer)),
  )
  resources.use(runPeriodically(dayMs, ctx.log, 'audit', options.maintainAudit))
  resources.use(runPeriodically(verifyCheckMs, ctx.log, 'audit verification', options.verifyAudit))
  resources.use(
    runPeriodically(dayMs, ctx.log, 'retention', async () => {
      await options.applyRetention()
      await deleteOldOverflow(ctx.db, days)
      await deleteOldOutputFiles(ctx.db, days)
      await deleteOldUploads(ctx.db, days)
      await deleteOldTokens(ctx.db, days)
      for (const { name, replica } of await deleteOldReplicas(ctx.db, replicaDays)) {
        await queue.forget(toolsQueue(name, replica))
      }
      await deleteOldTools(ctx.db, toolDays)
      await deleteLostAgents(ctx.db)
    }),
  )
}
