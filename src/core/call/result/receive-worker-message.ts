import { setTimeout as delay } from 'node:timers/promises'
import { findApprovalOfCall } from '../../../db/approval/approvals.ts'
import { findCall, markRunning } from '../../../db/call/tool-calls.ts'
import { inTransaction } from '../../../db/database.ts'
import type { ToolCallRow } from '../../../db/schema.ts'
import { lockSession } from '../../../db/turn/sessions.ts'
import { findReplica, retireReplica, saveWorker } from '../../../db/worker/workers.ts'
import type { AuditEvent } from '../../../domain/audit-event.ts'
import type { WorkerMessage } from '../../../rules/jobs/contract.ts'
import { checkEnrolment } from '../../../rules/jobs/enrolment.ts'
import { peekMessage, verifyMessage } from '../../../rules/jobs/verify.ts'
import { assertNever } from '../../../util/assert-never.ts'
import { record } from '../../audit/record.ts'
import { deciderOf } from '../../card/card-decider.ts'
import { updateCard } from '../../card/cards.ts'
import { transact } from '../../transaction.ts'
import type { CallContext } from '../gate/call-context.ts'
import { settlePreview } from '../settle-preview.ts'
import { namesOf } from '../tell-call.ts'
import { settleResult } from './settle-result.ts'

/**
 * One message of the `results` queue. Acted on only when it is signed by a replica that was enrolled; anything else is
 * dropped and audited (threat 5).
 */
export async function receiveWorkerMessage(ctx: CallContext, data: unknown): Promise<void> {
  const claimed = peekMessage(data)
  if (claimed.kind === 'refused') return drop(ctx, claimed.why)
  const key = (await keyOf(ctx, claimed.message)) ?? (await keyWhenGreeted(ctx, claimed.message))
  if (key === undefined) return drop(ctx, unknownBecause(claimed.message), claimed.message)
  const verified = verifyMessage(data, key)
  if (verified.kind === 'refused') return drop(ctx, verified.why, claimed.message)
  await act(ctx, verified.message)
}

const greetingWaitMs = 1_000
const greetingPollMs = 50

/** A replica's first result may overtake its greeting in the queue; it is given a moment. */
async function keyWhenGreeted(
  ctx: CallContext,
  message: WorkerMessage,
): Promise<string | undefined> {
  if (message.type === 'hello') return undefined
  return ctx.unenrolledWorkers.awaitGreeting(async () => {
    for (let waitedMs = 0; waitedMs < greetingWaitMs; waitedMs += greetingPollMs) {
      await delay(greetingPollMs)
      const key = await keyOf(ctx, message)
      if (key !== undefined) return key
    }
    return undefined
  })
}

async function keyOf(ctx: CallContext, message: WorkerMessage): Promise<string | undefined> {
  const known = await findReplica(ctx.db, message.worker, message.replica)
  if (message.type !== 'hello') return known?.public_key
  const enrolled = checkEnrolment(ctx.enrolmentSecret, message, message.proof)
  const sameKey = known === undefined || known.public_key === message.publicKey
  return enrolled && sameKey ? message.publicKey : undefined
}

/** A worker of ours that was given another's token has to be found by this. */
function unknownBecause({ type, worker }: WorkerMessage): string {
  if (type !== 'hello') return 'nobody enrolled sent it'
  return `its greeting does not prove that it is of worker "${worker}": look at its COUNTERSIGN_WORKER_TOKEN`
}

async function act(ctx: CallContext, message: WorkerMessage): Promise<void> {
  switch (message.type) {
    case 'hello':
      warnOfSkew(ctx, message)
      return saveWorker(ctx.db, {
        name: message.worker,
        replica: message.replica,
        driver: message.driver,
        confined: message.confined,
        warnings: JSON.stringify(message.warnings),
        box_workspace: message.boxWorkspace,
        tools: JSON.stringify(message.tools),
        public_key: message.publicKey,
        beat: message.beat,
        said_at: new Date(message.at),
      })
    case 'bye':
      return retireReplica(ctx.db, {
        name: message.worker,
        replica: message.replica,
        beat: message.beat,
      })
    case 'started':
    case 'result':
      return actOnCall(ctx, message)
    default:
      return assertNever(message)
  }
}

/** A worker answers for its own calls only, whatever it was enrolled for. */
async function actOnCall(
  ctx: CallContext,
  message: Extract<WorkerMessage, { type: 'started' | 'result' }>,
): Promise<void> {
  const call = await findCall(ctx.db, asUuid(message.callId))
  if (call?.worker !== message.worker) {
    return drop(ctx, 'the call is none of this worker', message)
  }
  if (message.attempt > call.attempt && !isPreview(message)) {
    return drop(ctx, 'the attempt was never sent', message)
  }
  if (message.type === 'started') return markStarted(ctx, call, message)
  if (message.jobType === 'preview') return settlePreview(ctx, call, message)
  return settleResult(ctx, call, message)
}

/** A preview names its question instead. */
function isPreview(message: Extract<WorkerMessage, { type: 'started' | 'result' }>): boolean {
  return message.type === 'result' && message.jobType === 'preview'
}

/** INT-40: jobs are refused when clocks differ by more than this. */
const toleratedSkewMs = 60_000

function warnOfSkew(ctx: CallContext, message: WorkerMessage): void {
  const skewMs = Math.abs(Date.parse(message.at) - Date.now())
  if (!(skewMs > toleratedSkewMs)) return
  const { worker, replica } = message
  ctx.log.warn(
    { worker, replica, skewMs },
    'the clock of a worker is off, or its greeting waited long: with such a clock it refuses jobs',
  )
}

async function drop(ctx: CallContext, why: string, message?: WorkerMessage): Promise<void> {
  ctx.observer.record({ kind: 'worker_message_dropped' })
  if (!ctx.unenrolledWorkers.countDropped()) return
  const { type, worker, replica } = message ?? {}
  ctx.log.warn({ why, type, worker, replica }, 'a message of a worker was dropped')
  await recordDropped(ctx, {
    note: why,
    ...(message === undefined ? {} : { worker: message.worker, replica: message.replica }),
    ...(message !== undefined && 'callId' in message ? { call_id: asUuid(message.callId) } : {}),
  })
}

/** To be called each minute: many dropped messages are one row, or whoever reaches the queue could fill the audit. */
export async function recordUntoldDrops(ctx: CallContext): Promise<void> {
  const count = ctx.unenrolledWorkers.beginMinute()
  if (count === 0) return
  ctx.log.warn({ count }, 'more messages of workers were dropped within a minute')
  await recordDropped(ctx, { note: `${count} more were dropped within a minute` })
}

async function recordDropped(
  { db }: CallContext,
  event: Omit<AuditEvent, 'kind' | 'chain'>,
): Promise<void> {
  await inTransaction(db, (transaction) =>
    record(transaction, { kind: 'dropped_result', chain: 'system', ...event }),
  )
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A forger chooses the id; only one that the column can hold is kept. */
function asUuid(id: string): string {
  return uuid.test(id) ? id : '00000000-0000-0000-0000-000000000000'
}

/** A worker says that a call truly started: stored first, then shown on its card (APPR-13). */
async function markStarted(
  ctx: CallContext,
  known: ToolCallRow,
  message: Extract<WorkerMessage, { type: 'started' }>,
): Promise<void> {
  if (known.state !== 'queued') return
  await transact(ctx, async (tx) => {
    await lockSession(tx.db, known.session_id)
    const call = await markRunning(tx.db, known.id, message.attempt, message.replica)
    if (call === undefined) return
    tx.effects.tell({
      kind: 'call_started',
      ...namesOf(call),
      attempt: call.attempt,
      worker: message.worker,
      replica: message.replica,
      waitedMs: millisecondsBetween(call.queued_at, call.started_at),
    })
    const approval = await findApprovalOfCall(tx.db, call.id)
    if (approval?.state !== 'approved') return
    await updateCard(tx, approval, { kind: 'running', ...(await deciderOf(tx.db, approval)) })
  })
}

function millisecondsBetween(start: Date | null, end: Date | null): number {
  return start === null || end === null ? 0 : end.getTime() - start.getTime()
}
