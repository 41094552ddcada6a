import {
  endApproval,
  findPending,
  findUnappliedAlways,
  setAlwaysEffect,
} from '../../db/approval/approvals.ts'
import { dropGrantsOf, findUnrevoked } from '../../db/approval/grants.ts'
import { getCall, updateCall } from '../../db/call/tool-calls.ts'
import { inTransaction } from '../../db/database.ts'
import type { ApprovalRow } from '../../db/schema.ts'
import { getSession, lockSession } from '../../db/turn/sessions.ts'
import { getTurn, makeTurnDue } from '../../db/turn/turns.ts'
import { type GrantEnd, grantEnds } from '../../domain/grant-life.ts'
import type { Verdict } from '../../domain/verdict.ts'
import { addGrants } from '../../rules/gate/permissions/add-grants.ts'
import { listGrants, removeGrant } from '../../rules/gate/permissions/remove-grant.ts'
import { type CallContext, type LoadedFacts, loadFacts } from '../call/gate/call-context.ts'
import { evaluateToolCall, openUses, storedVerdict } from '../call/gate/judge-call.ts'
import { updateCard } from '../card/cards.ts'
import { countVotes, mayAllowForAll, ruleOf } from '../card/read-card.ts'
import { readTexts } from '../stored.ts'
import { attempt, type TurnTransaction } from '../transaction.ts'
import { alwaysBeats, emitApprovalDecided } from './decide/settle-decision.ts'
import { changeRules } from './rules-orders.ts'

/**
 * Writes *Always* decisions of approvers and operators into the worker's rules file, which the agent owns (INT-35). Runs before
 * the cascade, outside any transaction, and again after a crash.
 */
export async function persistAlways(ctx: CallContext, sessionId?: string): Promise<void> {
  for (const approval of await findUnappliedAlways(ctx.db, sessionId)) {
    await attempt(ctx, 'write rules', () => takeEffect(ctx, approval))
  }
}

/**
 * INT-26: drops the grants if the voters may no longer make the rule, because one lost the role or more votes are now required.
 */
async function takeEffect(ctx: CallContext, approval: ApprovalRow): Promise<void> {
  const { isEnough, voters } = await countVotes(ctx, ctx.db, approval, ruleOf(ctx, approval))
  if (!isEnough) {
    return inTransaction(ctx.db, async (db) => {
      await lockSession(db, approval.session_id)
      await dropGrantsOf(db, approval.id)
      await setAlwaysEffect(db, approval.id, 'done')
    })
  }
  if (approval.always_effect !== 'worker') return
  // THREAT-4: a voter who is now only a user may still allow it for themselves, within the session.
  if (mayAllowForAll(voters)) await persist(ctx, approval)
  else await setAlwaysEffect(ctx.db, approval.id, 'session')
}

/** Persists the patterns. If the rules cannot be written, the session grant still holds and the sweeper retries. */
async function persist(ctx: CallContext, approval: ApprovalRow): Promise<void> {
  const session = await getSession(ctx.db, approval.session_id)
  const patterns = await findUnrevoked(ctx.db, approval.id, readTexts(approval.always_patterns))
  const by = approval.decided_by ?? 'somebody'
  const note = `granted by ${by}, ${(approval.decided_at ?? new Date()).toISOString()}`
  const text = await changeRules(ctx, session.worker, (before) =>
    addGrants(before, approval.tool, patterns, note, alwaysBeats(approval) ?? undefined),
  )
  const revoked = await settlePersisted(ctx, approval, patterns, text)
  if (revoked.length === 0) return
  await changeRules(ctx, session.worker, (before) =>
    revoked.reduce((rules, pattern) => removeGrant(rules, approval.tool, pattern), before),
  )
  await persist(ctx, approval)
}

/** Marks the approval as persisted. Returns the patterns revoked during the write; if there are any, it is not settled. */
async function settlePersisted(
  ctx: CallContext,
  approval: ApprovalRow,
  patterns: readonly string[],
  text: string,
): Promise<readonly string[]> {
  const written = new Set(listGrants(text).map(({ tool, pattern }) => `${tool} ${pattern}`))
  const isWritten = patterns.every((pattern) => written.has(`${approval.tool} ${pattern}`))
  return inTransaction(ctx.db, async (db) => {
    await lockSession(db, approval.session_id)
    const still = new Set(await findUnrevoked(db, approval.id, patterns))
    const revoked = patterns.filter((pattern) => !still.has(pattern))
    if (revoked.length > 0) return revoked
    // From here the rules file alone decides: removing the pattern there revokes it.
    if (isWritten) await dropGrantsOf(db, approval.id)
    await setAlwaysEffect(db, approval.id, 'session')
    return revoked
  })
}

/**
 * APPR-07: re-evaluates every other pending approval of the session after an *Always* and grants those that are now allowed. Each
 * is claimed like any decision, so one that is being denied stays denied (INT-24).
 */
export async function cascadeAlways(tx: TurnTransaction<CallContext>): Promise<void> {
  const causes = await findUnappliedAlways(tx.db, tx.session.id)
  if (causes.length === 0) return
  for (const pending of await findPending(tx.db, tx.session.id)) {
    await resolveIfAllowed(tx, pending)
  }
  for (const cause of causes) {
    if (cause.always_effect === 'session') await setAlwaysEffect(tx.db, cause.id, 'done')
  }
}

async function resolveIfAllowed(
  tx: TurnTransaction<CallContext>,
  pending: ApprovalRow,
): Promise<void> {
  const call = await getCall(tx.db, pending.call_id)
  const turnOf = { id: pending.turn_id, caller_id: pending.caller_id }
  const facts = await loadFacts(tx.ctx, tx.db, tx.session, turnOf)
  // APPR-15: grants no more approvals than there are unreserved uses left.
  const uses = await openUses(tx.db, tx.session.id, facts)
  const judged = evaluateToolCall(tx.ctx, uses.leftOf(facts), call)
  if (judged.kind === 'wrong' || judged.verdict.action !== 'allow') return
  const onlyUnexpired = tx.ctx.settings.onExpiry !== 'wait'
  const granted = await endApproval(tx.db, pending.id, { state: 'granted', onlyUnexpired })
  if (granted === undefined) return
  emitApprovalDecided(tx.effects, granted)
  await updateCall(tx.db, call.id, { state: 'allowed', verdict: storedVerdict(judged.verdict) })
  await updateCard(tx, granted, { kind: 'granted', ...endOf(facts, judged.verdict) })
  const turn = await getTurn(tx.db, pending.turn_id)
  const due = turn.id === tx.turn.id ? undefined : await makeTurnDue(tx.db, turn.id)
  if (due !== undefined) tx.effects.wakeTurn(due)
}

/** Returns when the grant that allowed the call ends, if it ends. */
function endOf(
  { grants: known }: LoadedFacts,
  { grants: ids = [] }: Verdict,
): { readonly life?: GrantEnd } {
  const lives = known.filter(({ id }) => ids.includes(id)).map(({ life }) => life)
  const life = grantEnds.find((end) => lives.includes(end))
  return life === undefined ? {} : { life }
}
