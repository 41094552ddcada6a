import { findApprovalOfCall } from '../../db/approval/approvals.ts'
import { findCancelling, type SilentCall, takeSilentCalls } from '../../db/call/silent-calls.ts'
import type { ToolCallRow } from '../../db/schema.ts'
import { getConversation } from '../../db/turn/conversations.ts'
import { getSession } from '../../db/turn/sessions.ts'
import { getTurn } from '../../db/turn/turns.ts'
import { type SignedJob, toolsQueue } from '../../rules/jobs/contract.ts'
import { parseArguments } from '../../rules/tools/parse-arguments.ts'
import { attempt } from '../retry.ts'
import type { TurnRows } from '../transaction.ts'
import { contentOf } from './content-of.ts'
import type { CallContext } from './gate/call-context.ts'
import { loadFacts } from './gate/load-facts.ts'
import { signCall, signCancel } from './sign-call.ts'
import { namesOf } from './tell-call.ts'

/** A job that nobody has answered for so long is sent again, in milliseconds. */
const silentMs = 5_000
/**
 * Copies of one attempt that may lie in a queue: the next one has the last one's id, which the queue takes only once that
 * is gone. A worker that is busy for hours finds each call a few times, not hundreds.
 */
const maxCopies = 4

/**
 * Sends again what a crash or a full queue may have lost: the same attempt under the next number. The worker's journal
 * makes that harmless: it answers with the stored result, says nothing while the call runs, and runs it only if it
 * never began (INT-11, INT-12). A copy is good for no longer than the first job was: whoever gets it later refuses it,
 * and the call goes through the gate again (POL-06, DECISIONS 15). To be called only while signals pass: what is taken counts as sent.
 */
export async function resendCalls(ctx: CallContext): Promise<void> {
  for (const call of await takeSilentCalls(ctx.db, silentMs)) {
    await attempt(ctx, 'send a call again', () => resend(ctx, call))
  }
}

async function resend(ctx: CallContext, call: SilentCall): Promise<void> {
  const signed = await resign(ctx, call)
  if (signed === undefined) return
  const { attempt: count, sends } = call
  const id = `call-${call.id}-${count}-${Math.min(sends, maxCopies)}`
  const worker = call.worker ?? ctx.settings.worker
  await ctx.signals.sendJob(toolsQueue(worker), id, signed)
  ctx.observer.record({ kind: 'call_resent', ...namesOf(call), attempt: count, worker })
}

/**
 * Cancels, again and again until the call is settled (rule 8): a signal may be lost, a job may come after it. `turnId`:
 * this turn's alone.
 */
export async function resendCancels(ctx: CallContext, turnId?: string): Promise<void> {
  for (const call of await findCancelling(ctx.db, turnId)) {
    const session = await getSession(ctx.db, call.session_id)
    const turn = await getTurn(ctx.db, call.turn_id)
    await ctx.signals.sendCancel(signCancel(ctx, { session, turn }, call))
  }
}

/** A job for a call as it stands in the database. */
async function resign(ctx: CallContext, call: SilentCall): Promise<SignedJob | undefined> {
  const spec = ctx.tools.find((tool) => tool.name === call.tool)
  if (spec === undefined) return undefined
  const parsed = parseArguments(spec, call.arguments)
  if (parsed.kind === 'error') return undefined
  const rows = await rowsOf(ctx, call)
  const facts = await loadFacts(ctx, ctx.db, rows.session, rows.turn)
  const approval = await findApprovalOfCall(ctx.db, call.id)
  const carried = await contentOf(ctx.db, spec, call)
  if (carried === 'gone') return undefined
  return signCall(ctx, rows, facts, {
    type: 'run',
    call,
    spec,
    args: parsed.args,
    attempt: call.attempt,
    signedAt: Date.now() - call.queued_for_ms,
    ...carried,
    ...(approval?.state === 'approved' ? { approvalId: approval.id } : {}),
  })
}

async function rowsOf(ctx: CallContext, call: ToolCallRow): Promise<TurnRows> {
  const session = await getSession(ctx.db, call.session_id)
  const conversation = await getConversation(ctx.db, session.conversation_id)
  return { session, conversation, turn: await getTurn(ctx.db, call.turn_id) }
}
