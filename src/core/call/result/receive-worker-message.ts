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
import { transact } from '../../kernel/transact.ts'
import type { CallKernel } from '../gate/call-kernel.ts'
import { settlePreview } from '../settle-preview.ts'
import { namesOf } from '../tell-call.ts'
import { settleResult } from './settle-result.ts'

/**
 * One message of the `results` queue. Acted on only when it is signed by a replica that was enrolled; anything else is
 * dropped and audited (threat 5).
 */
export async function receiveWorkerMessage(kernel: CallKernel, data: unknown): Promise<void> {
  const claimed = peekMessage(data)
  if (claimed.kind === 'refused') return drop(kernel, claimed.why)
  const key =
    (await keyOf(kernel, claimed.message)) ?? (await keyWhenGreeted(kernel, claimed.message))
  if (key === undefined) return drop(kernel, unknownBecause(claimed.message), claimed.message)
  const verified = verifyMessage(data, key)
  if (verified.kind === 'refused') return drop(kernel, verified.why, claimed.message)
  await act(kernel, verified.message)
}

const greetingWaitMs = 1_000
const greetingPollMs = 50

/** A replica's first result may overtake its greeting in the queue; it is given a moment. */
async function keyWhenGreeted(
  kernel: CallKernel,
  message: WorkerMessage,
): Promise<string | undefined> {
  if (message.type === 'hello') return undefined
  return kernel.unenrolledWorkers.awaitGreeting(async () => {
    for (let waitedMs = 0; waitedMs < greetingWaitMs; waitedMs += greetingPollMs) {
      await delay(greetingPollMs)
      const key = await keyOf(kernel, message)
      if (key !== undefined) return key
    }
    return undefined
  })
}

async function keyOf(kernel: CallKernel, message: WorkerMessage): Promise<string | undefined> {
  const known = await findReplica(kernel.db, message.worker, message.replica)
  if (message.type !== 'hello') return known?.public_key
  const enrolled = checkEnrolment(kernel.enrolmentSecret, message, message.proof)
  const sameKey = known === undefined || known.public_key === message.publicKey
  return enrolled && sameKey ? message.publicKey : undefined
}

/** A worker of ours that was given another's token has to be found by this. */
function unknownBecause({ type, worker }: WorkerMessage): string {
  if (type !== 'hello') return 'nobody enrolled sent it'
  return `its greeting does not prove that it is of worker "${worker}": look at its COUNTERSIGN_WORKER_TOKEN`
}

async function act(kernel: CallKernel, message: WorkerMessage): Promise<void> {
  switch (message.type) {
    case 'hello':
      warnOfSkew(kernel, message)
      return saveWorker(kernel.db, {
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
      return retireReplica(kernel.db, {
        name: message.worker,
        replica: message.replica,
        beat: message.beat,
      })
    case 'started':
    case 'result':
      return actOnCall(kernel, message)
    default:
      return assertNever(message)
  }
}

/** A worker answers for its own calls only, whatever it was enrolled for. */
async function actOnCall(
  kernel: CallKernel,
  message: Extract<WorkerMessage, { type: 'started' | 'result' }>,
): Promise<void> {
  const call = await findCall(kernel.db, asUuid(message.callId))
  if (call?.worker !== message.worker) {
    return drop(kernel, 'the call is none of this worker', message)
  }
  if (message.attempt > call.attempt && !isPreview(message)) {
    return drop(kernel, 'the attempt was never sent', message)
  }
  if (message.type === 'started') return markStarted(kernel, call, message)
  if (message.jobType === 'preview') return settlePreview(kernel, call, message)
  return settleResult(kernel, call, message)
}

/** A preview names its question instead. */
function isPreview(message: Extract<WorkerMessage, { type: 'started' | 'result' }>): boolean {
  return message.type === 'result' && message.jobType === 'preview'
}

/** INT-40: jobs are refused when clocks differ by more than this. */
const toleratedSkewMs = 60_000

function warnOfSkew(kernel: CallKernel, message: WorkerMessage): void {
  const skewMs = Math.abs(Date.parse(message.at) - Date.now())
  if (!(skewMs > toleratedSkewMs)) return
  const { worker, replica } = message
  kernel.log.warn(
    { worker, replica, skewMs },
    'the clock of a worker is off, or its greeting waited long: with such a clock it refuses jobs',
  )
}

async function drop(kernel: CallKernel, why: string, message?: WorkerMessage): Promise<void> {
  kernel.observer.told({ kind: 'worker_message_dropped' })
  if (!kernel.unenrolledWorkers.countDropped()) return
  const { type, worker, replica } = message ?? {}
  kernel.log.warn({ why, type, worker, replica }, 'a message of a worker was dropped')
  await recordDropped(kernel, {
    note: why,
    ...(message === undefined ? {} : { worker: message.worker, replica: message.replica }),
    ...(message !== undefined && 'callId' in message ? { call_id: asUuid(message.callId) } : {}),
  })
}

/** To be called each minute: many dropped messages are one row, or whoever reaches the queue could fill the audit. */
export async function recordUntoldDrops(kernel: CallKernel): Promise<void> {
  const count = kernel.unenrolledWorkers.beginMinute()
  if (count === 0) return
  kernel.log.warn({ count }, 'more messages of workers were dropped within a minute')
  await recordDropped(kernel, { note: `${count} more were dropped within a minute` })
}

async function recordDropped(
  { db }: CallKernel,
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
  kernel: CallKernel,
  known: ToolCallRow,
  message: Extract<WorkerMessage, { type: 'started' }>,
): Promise<void> {
  if (known.state !== 'queued') return
  await transact(kernel, async (db, after) => {
    await lockSession(db, known.session_id)
    const call = await markRunning(db, known.id, message.attempt, message.replica)
    if (call === undefined) return
    after.tell({
      kind: 'call_started',
      ...namesOf(call),
      attempt: call.attempt,
      worker: message.worker,
      replica: message.replica,
      waitedMs: millisecondsBetween(call.queued_at, call.started_at),
    })
    const approval = await findApprovalOfCall(db, call.id)
    if (approval?.state !== 'approved') return
    await updateCard(db, after, approval, { kind: 'running', ...(await deciderOf(db, approval)) })
  })
}

function millisecondsBetween(start: Date | null, end: Date | null): number {
  return start === null || end === null ? 0 : end.getTime() - start.getTime()
}
