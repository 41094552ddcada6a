import { setTimeout as delay } from 'node:timers/promises'
import { findApprovalOfCall } from '../../../db/approval/approvals.ts'
import { findSender, markRunning } from '../../../db/call/tool-calls.ts'
import { inTransaction } from '../../../db/database.ts'
import type { ToolCallRow } from '../../../db/schema.ts'
import { lockSession } from '../../../db/turn/sessions.ts'
import { findReplica, retireReplica, saveWorker } from '../../../db/worker/workers.ts'
import type { AuditEvent } from '../../../domain/audit-event.ts'
import type { WorkerMessage } from '../../../rules/jobs/contract.ts'
import { checkEnrolment } from '../../../rules/jobs/enrolment.ts'
import { peekMessage, verifyMessage } from '../../../rules/jobs/verify.ts'
import { assertNever } from '../../../util/guards.ts'
import { record } from '../../audit/record.ts'
import { deciderOf, updateCard } from '../../card/cards.ts'
import { receiveServer } from '../../mcp/receive-server.ts'
import { transact } from '../../transaction.ts'
import { namesOf } from '../audit-call.ts'
import type { CallContext } from '../gate/call-context.ts'
import { settlePreview } from '../settle-preview.ts'
import { settleResult } from './settle-result.ts'

/**
 * Handles one message of the `results` queue. Acts only on messages signed by an enrolled replica; drops and audits all others
 * (threat 5).
 */
export async function receiveWorkerMessage(ctx: CallContext, data: unknown): Promise<void> {
  const claimed = peekMessage(data)
  if (claimed.kind === 'refused') return drop(ctx, claimed.why)
  const sender = (await senderOf(ctx, claimed.message)) ?? (await whenGreeted(ctx, claimed.message))
  if (sender === undefined) return drop(ctx, unknownBecause(claimed.message), claimed.message)
  const verified = verifyMessage(data, sender.key)
  if (verified.kind === 'refused') return drop(ctx, verified.why, claimed.message)
  await act(ctx, verified.message, sender.call)
}

/** Key of an enrolled replica, with the call that its message names. */
interface Sender {
  readonly key: string
  readonly call: ToolCallRow | undefined
}

const greetingWaitMs = 1_000
const greetingPollMs = 50

/** Waits briefly for the key, since a replica's first result may overtake its greeting in the queue. */
async function whenGreeted(ctx: CallContext, message: WorkerMessage): Promise<Sender | undefined> {
  if (message.type === 'hello') return undefined
  return ctx.unenrolledWorkers.awaitGreeting(async () => {
    for (let waitedMs = 0; waitedMs < greetingWaitMs; waitedMs += greetingPollMs) {
      await delay(greetingPollMs)
      const sender = await senderOf(ctx, message)
      if (sender !== undefined) return sender
    }
    return undefined
  })
}

async function senderOf(ctx: CallContext, message: WorkerMessage): Promise<Sender | undefined> {
  if ('callId' in message) {
    const { worker, replica, callId } = message
    return findSender(ctx.db, { worker, replica, callId: asUuid(callId) })
  }
  const known = await findReplica(ctx.db, message.worker, message.replica)
  if (message.type !== 'hello') return known && { key: known.public_key, call: undefined }
  const enrolled = checkEnrolment(ctx.enrolmentSecret, message, message.proof)
  const sameKey = known === undefined || known.public_key === message.publicKey
  return enrolled && sameKey ? { key: message.publicKey, call: undefined } : undefined
}

/** Names the cause, so that an operator can find a worker that was given another worker's token. */
function unknownBecause({ type, worker }: WorkerMessage): string {
  if (type !== 'hello') return 'the sender is not enrolled'
  return `its greeting has no valid proof for worker "${worker}": check its COUNTERSIGN_WORKER_TOKEN`
}

async function act(
  ctx: CallContext,
  message: WorkerMessage,
  call: ToolCallRow | undefined,
): Promise<void> {
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
    case 'server':
      return receiveServer(ctx, message)
    case 'started':
    case 'result':
      return actOnCall(ctx, message, call)
    default:
      return assertNever(message)
  }
}

/** Rejects messages about calls of other workers, whatever the sender was enrolled for. */
async function actOnCall(
  ctx: CallContext,
  message: Extract<WorkerMessage, { type: 'started' | 'result' }>,
  call: ToolCallRow | undefined,
): Promise<void> {
  if (call?.worker !== message.worker) {
    return drop(ctx, 'the call belongs to another worker', message)
  }
  if (message.attempt > call.attempt && !isPreview(message)) {
    return drop(ctx, 'the attempt was never sent', message)
  }
  if (message.type === 'started') return markStarted(ctx, call, message)
  if (message.jobType === 'preview') return settlePreview(ctx, call, message)
  return settleResult(ctx, call, message)
}

/** A preview carries the approval's number as its attempt. */
function isPreview(message: Extract<WorkerMessage, { type: 'started' | 'result' }>): boolean {
  return message.type === 'result' && message.jobType === 'preview'
}

/** INT-40: clock difference in milliseconds above which workers refuse jobs. */
const toleratedSkewMs = 60_000

function warnOfSkew(ctx: CallContext, message: WorkerMessage): void {
  const skewMs = Math.abs(Date.parse(message.at) - Date.now())
  if (!(skewMs > toleratedSkewMs)) return
  const { worker, replica } = message
  ctx.log.warn(
    { worker, replica, skewMs },
    'worker clock differs from ours, or its greeting was delayed; with such a clock it refuses jobs',
  )
}

async function drop(ctx: CallContext, why: string, message?: WorkerMessage): Promise<void> {
  ctx.observer.record({ kind: 'worker_message_dropped' })
  if (!ctx.unenrolledWorkers.countDropped()) return
  const { type, worker, replica } = message ?? {}
  ctx.log.warn({ why, type, worker, replica }, 'worker message dropped')
  await recordDropped(ctx, {
    note: why,
    ...(message === undefined ? {} : { worker: message.worker, replica: message.replica }),
    ...(message !== undefined && 'callId' in message ? { call_id: asUuid(message.callId) } : {}),
  })
}

/**
 * Records the dropped messages of the last minute beyond the limit as one row, so that anyone who reaches the queue cannot flood
 * the audit. Call every minute.
 */
export async function recordUntoldDrops(ctx: CallContext): Promise<void> {
  const count = ctx.unenrolledWorkers.beginMinute()
  if (count === 0) return
  ctx.log.warn({ count }, 'further worker messages dropped in the last minute')
  await recordDropped(ctx, { note: `${count} more dropped in the last minute` })
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

/** The id is untrusted: anything but a UUID becomes the nil UUID. */
function asUuid(id: string): string {
  return uuid.test(id) ? id : '00000000-0000-0000-0000-000000000000'
}

/** Marks a call as running when its worker says so: stored first, then shown on its card (APPR-13). */
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
    tx.effects.emit({
      kind: 'call_started',
      ...namesOf(call),
      attempt: call.attempt,
      worker: message.worker,
      replica: message.replica,
      waitedMs: millisecondsBetween(call.queued_at, call.started_at),
    })
    const approval = await findApprovalOfCall(tx.db, call.id)
    if (approval?.state !== 'approved') return
    await updateCard(tx, approval, { kind: 'running', ...(await deciderOf(tx, approval)) })
  })
}

function millisecondsBetween(start: Date | null, end: Date | null): number {
  return start === null || end === null ? 0 : end.getTime() - start.getTime()
}
