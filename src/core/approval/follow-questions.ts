import { setTimeout as delay } from 'node:timers/promises'
import {
  type EndedApproval,
  type FullApproval,
  findOpenApprovals,
  type OpenApproval,
  readApprovalEnd,
  readOpenApproval,
  recordShowing,
} from '../../db/approval/open-approvals.ts'
import { findApiCaller } from '../../db/people/api-tokens.ts'
import type { Card } from '../../domain/approval.ts'
import type {
  ApprovalEvent,
  ApprovalStreamItem,
  ToolApprovalRequired,
  ToolApprovalResolved,
} from '../../domain/approval-event.ts'
import { type Caller, may } from '../../domain/caller.ts'
import { effectLines, effectText } from '../../domain/effect.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import type { Notifier } from '../../util/notifier.ts'
import { readCard } from '../card/read-card.ts'
import type { CoreContext } from '../context.ts'
import { readTexts } from '../stored.ts'

/** Intervals in milliseconds. */
interface FollowIntervals {
  /** Polling interval; signals may be lost. */
  readonly pollIntervalMs: number
  /** Minimum time between two polls, however many signals arrive. */
  readonly minPollIntervalMs: number
  readonly heartbeatMs: number
}

const followIntervals: FollowIntervals = {
  pollIntervalMs: 2_000,
  minPollIntervalMs: 100,
  heartbeatMs: 15_000,
}

export interface Follow {
  readonly ctx: Pick<CoreContext, 'db' | 'log' | 'messages'>
  readonly tokenSha256: string
  /** Signals that something may have changed. */
  readonly notifier: Notifier
  readonly signal: AbortSignal
  readonly pace?: FollowIntervals
}

/**
 * APPR-11: streams the approvals that a token's holder may answer, as they are asked and ended, until the signal fires, the token
 * is revoked or its role changes.
 */
export async function* followApprovals(follow: Follow): AsyncGenerator<ApprovalStreamItem, void> {
  const { ctx, notifier: bell, signal, pace = followIntervals } = follow
  const told = new Map<string, OpenApproval>()
  let role: Caller['role'] | undefined
  let isReady = false
  let toldAt = performance.now()
  while (!signal.aborted) {
    const { rings } = bell
    try {
      const caller = await findApiCaller(ctx.db, follow.tokenSha256)
      role ??= caller?.role
      if (caller === undefined || caller.role !== role) return
      for await (const event of streamChanges(follow, caller, told)) {
        yield event
        toldAt = performance.now()
      }
      if (!isReady) yield { type: 'ready', pending: told.size }
      isReady = true
    } catch (error) {
      ctx.log.warn({ err: error }, 'api: failed to stream approvals, will retry')
    }
    if (performance.now() - toldAt >= pace.heartbeatMs) {
      yield { type: 'beat' }
      toldAt = performance.now()
    }
    await rest(follow, rings, pace)
  }
}

/** Reads one approval at a time and keeps none: arguments may be large. Throws if the database is unavailable. */
async function* streamChanges(
  follow: Follow,
  caller: Caller,
  told: Map<string, OpenApproval>,
): AsyncGenerator<ApprovalEvent, void> {
  const { ctx, signal } = follow
  const open = await findOpenApprovals(ctx.db)
  // An API client has no linked accounts.
  const own = open.filter(
    ({ callerId }) => may(caller, 'decide_for_others') || callerId === caller.id,
  )
  const { required, resolved } = compareApprovals(told, own)
  for (const question of resolved) {
    const end = await readApprovalEnd(ctx.db, question.id)
    told.delete(question.id)
    yield toResolved(question, end)
  }
  for (const question of required) {
    if (signal.aborted) return
    const event = await show(follow, question)
    if (event === undefined) continue
    told.set(question.id, question)
    yield event
  }
}

/**
 * APPR-16: stores that the client was shown the approval before sending it, since the answer could come first. If the stream
 * breaks then, the client never learnt the id it would need.
 */
async function show(
  { ctx: { db, messages }, tokenSha256 }: Follow,
  { id }: OpenApproval,
): Promise<ApprovalEvent | undefined> {
  const whole = await readOpenApproval(db, id)
  const isShown = whole !== undefined && (await recordShowing(db, id, tokenSha256))
  return isShown ? toRequired(messages, whole) : undefined
}

async function rest(
  { notifier: bell, signal }: Follow,
  rings: number,
  pace: FollowIntervals,
): Promise<void> {
  await delay(pace.minPollIntervalMs, undefined, { signal }).catch(() => undefined)
  await bell.waitForRing(rings, pace.pollIntervalMs, signal)
}

/** Maps an approval to the event for API clients: exact arguments plus the text of its card. */
function toRequired(messages: Messages, question: FullApproval): ToolApprovalRequired {
  const card = readCard(question)
  return {
    type: 'tool_approval_required',
    approvalId: question.id,
    sessionId: question.sessionId,
    toolName: question.tool,
    arguments: question.arguments,
    number: card.number,
    what: card.what,
    reasons: [
      ...card.reasons,
      ...effectLines(card.effects ?? [], messages.display.effects).map(effectText),
    ],
    // The card may have room for only some of them.
    alwaysPatterns: card.tooLarge === true ? [] : readTexts(question.alwaysPatterns),
    risk: question.risk,
    requestedBy: card.requestedBy,
    callerId: question.callerId,
    whoMayAnswer: card.whoMayAnswer,
    expiresAt: question.expiresAt.toISOString(),
    ...(card.warning === undefined ? {} : { warning: card.warning }),
    ...(card.tooLarge === undefined ? {} : { tooLarge: card.tooLarge }),
    ...fileOf(question.id, card),
  }
}

function fileOf(approvalId: string, { file }: Card): Pick<ToolApprovalRequired, 'file'> {
  if (file === undefined) return {}
  const { name, bytes, lines, sha256 } = file
  return { file: { name, bytes, lines, sha256, path: `/v1/tool/approvals/${approvalId}/file` } }
}

/** Maps an ended approval to its event; `end` is undefined if its session was deleted. */
function toResolved(
  { id, sessionId }: Pick<OpenApproval, 'id' | 'sessionId'>,
  end: EndedApproval | undefined,
): ToolApprovalResolved {
  const state = end?.state ?? 'cancelled'
  return {
    type: 'tool_approval_resolved',
    approvalId: id,
    sessionId,
    // An ended approval never reopens.
    state: state === 'pending' ? 'cancelled' : state,
    always: end?.always ?? false,
    decidedBy: end?.decidedBy ?? null,
    decidedByName: end?.decidedByName ?? null,
    decidedAt: end?.decidedAt?.toISOString() ?? null,
    reason: end?.reason ?? null,
  }
}

/** Open approvals a client was notified of, by id. */
type ReportedApprovals = ReadonlyMap<string, OpenApproval>

/** Changes to send so that a client knows exactly which approvals are open. */
interface ApprovalChanges {
  /** New approvals and those whose expiry changed, in the order they were opened. */
  readonly required: readonly OpenApproval[]
  /** Reported before and no longer open. */
  readonly resolved: readonly OpenApproval[]
}

/**
 * APPR-11: compares the approvals reported to a client with the open ones. Compares state, not signals, so a lost signal does no
 * harm.
 */
export function compareApprovals(
  told: ReportedApprovals,
  open: readonly OpenApproval[],
): ApprovalChanges {
  const ids = new Set(open.map(({ id }) => id))
  return {
    required: open.filter((question) => !wasReported(told.get(question.id), question)),
    resolved: [...told.values()].filter(({ id }) => !ids.has(id)),
  }
}

function wasReported(told: OpenApproval | undefined, { expiresAt }: OpenApproval): boolean {
  return told?.expiresAt.getTime() === expiresAt.getTime()
}
