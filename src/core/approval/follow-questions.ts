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
import type { Caller } from '../../domain/caller.ts'
import { may } from '../../domain/rights.ts'
import type { Notifier } from '../../util/notifier.ts'
import { readCard } from '../card/read-card.ts'
import type { CoreContext } from '../context.ts'
import { readTexts } from '../stored.ts'
import { compareQuestions } from './compare-questions.ts'

/** In milliseconds. */
export interface FollowPace {
  /** Looked at anew so often whatever rings: signals may be lost. */
  readonly lookEvery: number
  /** And not more often than this, however often it rings. */
  readonly lookAtMostEvery: number
  readonly beatEvery: number
}

const followPace: FollowPace = {
  lookEvery: 2_000,
  lookAtMostEvery: 100,
  beatEvery: 15_000,
}

export interface Follow {
  readonly ctx: Pick<CoreContext, 'db' | 'log'>
  readonly tokenSha256: string
  /** Rings when something may have changed. */
  readonly bell: Notifier
  readonly signal: AbortSignal
  readonly pace?: FollowPace
}

/**
 * APPR-11: all questions that the holder of a token may answer, told now and as they come and end, until the signal fires,
 * the token is revoked or its role is another one.
 */
export async function* followQuestions(follow: Follow): AsyncGenerator<ApprovalStreamItem, void> {
  const { ctx, bell, signal, pace = followPace } = follow
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
      for await (const event of tellChanges(follow, caller, told)) {
        yield event
        toldAt = performance.now()
      }
      if (!isReady) yield { type: 'ready', pending: told.size }
      isReady = true
    } catch (error) {
      ctx.log.warn({ err: error }, 'api: questions could not be told; it is tried again')
    }
    if (performance.now() - toldAt >= pace.beatEvery) {
      yield { type: 'beat' }
      toldAt = performance.now()
    }
    await rest(follow, rings, pace)
  }
}

/** One question at a time is read, and kept nowhere: its arguments may be large. Throws when the database does not answer. */
async function* tellChanges(
  follow: Follow,
  caller: Caller,
  told: Map<string, OpenApproval>,
): AsyncGenerator<ApprovalEvent, void> {
  const { ctx, signal } = follow
  const open = await findOpenApprovals(ctx.db)
  // A program is linked with nobody.
  const own = open.filter(
    ({ callerId }) => may(caller, 'decide_for_others') || callerId === caller.id,
  )
  const { required, resolved } = compareQuestions(told, own)
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
 * APPR-16: that it was shown to this program is stored first, or its answer could come before. Where the stream then breaks,
 * nobody has learnt the id that an answer needs.
 */
async function show(
  { ctx: { db }, tokenSha256 }: Follow,
  { id }: OpenApproval,
): Promise<ApprovalEvent | undefined> {
  const whole = await readOpenApproval(db, id)
  const isShown = whole !== undefined && (await recordShowing(db, id, tokenSha256))
  return isShown ? toRequired(whole) : undefined
}

async function rest({ bell, signal }: Follow, rings: number, pace: FollowPace): Promise<void> {
  await delay(pace.lookAtMostEvery, undefined, { signal }).catch(() => undefined)
  await bell.rungSince(rings, pace.lookEvery, signal)
}

/** A question as programs are told of it: its exact arguments, and beside them what its card says. */
function toRequired(question: FullApproval): ToolApprovalRequired {
  const card = readCard(question)
  return {
    type: 'tool_approval_required',
    approvalId: question.id,
    sessionId: question.sessionId,
    toolName: question.tool,
    arguments: question.arguments,
    number: card.number,
    what: card.what,
    reasons: card.reasons,
    // The card may have room for some of them only.
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

/** How a question ended; `end` is undefined when its session is gone, and it with it. */
function toResolved(
  { id, sessionId }: Pick<OpenApproval, 'id' | 'sessionId'>,
  end: EndedApproval | undefined,
): ToolApprovalResolved {
  const state = end?.state ?? 'cancelled'
  return {
    type: 'tool_approval_resolved',
    approvalId: id,
    sessionId,
    // Nothing that ended is ever open again.
    state: state === 'pending' ? 'cancelled' : state,
    always: end?.always ?? false,
    decidedBy: end?.decidedBy ?? null,
    decidedByName: end?.decidedByName ?? null,
    decidedAt: end?.decidedAt?.toISOString() ?? null,
    reason: end?.reason ?? null,
  }
}
