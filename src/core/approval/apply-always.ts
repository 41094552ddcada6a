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
import type { CallContext } from '../call/gate/call-context.ts'
import { judgeCall } from '../call/gate/judge-call.ts'
import { type LoadedFacts, loadFacts } from '../call/gate/load-facts.ts'
import { storedVerdict } from '../call/gate/stored-verdict.ts'
import { openUses } from '../call/gate/uses.ts'
import { updateCard } from '../card/cards.ts'
import { countVotes, mayAllowForAll, ruleOf } from '../card/count-votes.ts'
import { attempt } from '../retry.ts'
import { readTexts } from '../stored.ts'
import type { TurnTransaction } from '../transaction.ts'
import { changeRules } from './change-rules.ts'
import { alwaysBeats } from './decide/settle-approval.ts'
import { tellDecided } from './decide/tell-decided.ts'

/**
 * Writes the *Always* of approvers and operators into the worker's rules. The agent's side owns that file (INT-35).
 * Done before the cascade, outside any transaction, and again after a crash.
 */
export async function persistAlways(ctx: CallContext, sessionId?: string): Promise<void> {
  for (const approval of await findUnappliedAlways(ctx.db, sessionId)) {
    await attempt(ctx, 'write rules', () => takeEffect(ctx, approval))
  }
}

/** INT-26: a rule of people who may not make it any more, since one lost the role or more are needed now, is taken back. */
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
  // THREAT-4: whoever is a user by now may still allow it for themselves, in the session.
  if (mayAllowForAll(voters)) await persist(ctx, approval)
  else await setAlwaysEffect(ctx.db, approval.id, 'session')
}

/** Where the rules cannot be written, the grant in the session holds all the same, and the sweeper tries again. */
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

/** Answers what was taken back while it was written; then it is not settled. */
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
    // From now on it is the rules' alone: whoever takes it out of them has taken it back.
    if (isWritten) await dropGrantsOf(db, approval.id)
    await setAlwaysEffect(db, approval.id, 'session')
    return revoked
  })
}

/**
 * APPR-07: after an *Always*, every other pending question of the session is judged again; those that now allow resolve
 * by themselves. Each is claimed like any decision, so one that is being denied stays denied (INT-24).
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
  // APPR-15: no more than there are uses left beside those that are promised to others.
  const uses = await openUses(tx.db, tx.session.id)
  const judged = judgeCall(tx.ctx, uses.leftOf(facts), call)
  if (judged.kind === 'wrong' || judged.verdict.action !== 'allow') return
  const onlyUnexpired = tx.ctx.settings.onExpiry !== 'wait'
  const granted = await endApproval(tx.db, pending.id, { state: 'granted', onlyUnexpired })
  if (granted === undefined) return
  tellDecided(tx.effects, granted)
  await updateCall(tx.db, call.id, { state: 'allowed', verdict: storedVerdict(judged.verdict) })
  await updateCard(tx, granted, { kind: 'granted', ...endOf(facts, judged.verdict) })
  const turn = await getTurn(tx.db, pending.turn_id)
  const due = turn.id === tx.turn.id ? undefined : await makeTurnDue(tx.db, turn.id)
  if (due !== undefined) tx.effects.wakeTurn(due)
}

/** The end of the grant that allowed it, if that has one. */
function endOf(
  { grants: known }: LoadedFacts,
  { grants: ids = [] }: Verdict,
): { readonly life?: GrantEnd } {
  const lives = known.filter(({ id }) => ids.includes(id)).map(({ life }) => life)
  const life = grantEnds.find((end) => lives.includes(end))
  return life === undefined ? {} : { life }
}
