import { findApprovalOfCall } from '../../db/approval/approvals.ts'
import { findGrants, takeGrantUses } from '../../db/approval/grants.ts'
import { isMutating, updateCall } from '../../db/call/tool-calls.ts'
import type { Db, ToolCallRow } from '../../db/schema.ts'
import type { Verdict } from '../../domain/verdict.ts'
import { mustKeepOrder, type OrderedCall } from '../../rules/tools/must-keep-order.ts'
import type { ToolSpec } from '../../rules/tools/tool-spec.ts'
import { type Ask, askAgain } from './ask-again.ts'
import { denyReady } from './deny-ready.ts'
import type { CallContext } from './gate/call-context.ts'
import { refusalVerdict } from './gate/judge-call.ts'
import type { GateTransaction } from './gate/load-facts.ts'
import { standingNow, type WhyAsked } from './gate/standing-now.ts'
import { storedVerdict } from './gate/stored-verdict.ts'
import { refuseReady } from './refuse-ready.ts'
import { sendCall } from './send-call.ts'
import { hasChanged } from './supersede.ts'
import { tellNewVerdict } from './tell-call.ts'
import { unreviewedOf } from './unreviewed.ts'

/**
 * Sends what may run now: no call before an earlier one of its batch that is not settled and may change what it reads, or read what it
 * changes (REG-07); and no mutating one beside another of its session. Each is judged again first (POL-06). Answers the calls that
 * need a new approval.
 */
export async function dispatchReady(
  tx: GateTransaction,
  batch: readonly ToolCallRow[],
): Promise<Ask[]> {
  const asks: Ask[] = []
  const unreviewed = new Set(unreviewedOf(tx.ctx, batch))
  const isBusy = await isMutating(tx.db, tx.session.id)
  const open: OrderedCall[] = []
  for (const call of batch) {
    if (call.settled_at !== null) continue
    const ordered = { mutating: call.mutating, spec: specOf(tx.ctx, call) }
    const isReady = call.state === 'allowed' && !unreviewed.has(call)
    const mayGo = isReady && !(call.mutating && isBusy) && !waitsFor(tx.ctx, open, ordered)
    const left = mayGo ? await dispatch(tx, call) : 'open'
    if (typeof left === 'object') asks.push(left)
    if (left !== 'settled') open.push(ordered)
  }
  return asks
}

function specOf({ tools }: CallContext, { tool }: ToolCallRow): ToolSpec | undefined {
  return tools.find(({ name }) => name === tool)
}

function waitsFor(
  { commands }: CallContext,
  earlier: readonly OrderedCall[],
  call: OrderedCall,
): boolean {
  return earlier.some((open) => mustKeepOrder(open, call, { hasNetwork: commands.network }))
}

const whyAgain: Readonly<Record<WhyAsked, string>> = {
  changed: hasChanged,
  'too few': 'the rules about who may approve want more now',
}

type Left = 'settled' | 'open' | Ask

async function dispatch(tx: GateTransaction, call: ToolCallRow): Promise<Left> {
  const approval = await findApprovalOfCall(tx.db, call.id)
  const standing = await standingNow(tx, call, approval)
  if (standing.kind === 'wrong') {
    tellNewVerdict(tx.effects, call, 'unjudged')
    await storeVerdict(tx.db, call, refusalVerdict(standing))
    return refuseReady(tx, call, { state: 'failed', error: standing.error })
  }
  const { judged } = standing
  if (standing.kind === 'deny') {
    await storeVerdict(tx.db, call, judged.verdict)
    return denyReady(tx, call, judged.verdict)
  }
  if (judged.verdict.unreviewed === true) {
    // POL-05: the turn's next step has it reviewed; until then it neither runs nor is asked about.
    await storeVerdict(tx.db, call, judged.verdict)
    return 'open'
  }
  if (standing.kind !== 'go') return askAgain(tx, call, judged, whyAgain[standing.kind])
  const { spends } = standing
  if (!(await takeGrantUses(tx.db, spends))) {
    // One of them has ended since it was read: each that is left may let the call go.
    const grants = await findGrants(tx.db, tx.session.id, tx.turn)
    return dispatch({ ...tx, facts: { ...tx.facts, grants } }, call)
  }
  return sendCall(tx, { call, approval, judged, spends })
}

async function storeVerdict(db: Db, { id }: ToolCallRow, verdict: Verdict): Promise<void> {
  await updateCall(db, id, { verdict: storedVerdict(verdict) })
}
