import { returnUses } from '../../db/approval/grants.ts'
import { recordFilesChange } from '../../db/call/result-cache.ts'
import { markQueued, settleWithoutWorker } from '../../db/call/tool-calls.ts'
import type { Db, ToolCallRow } from '../../db/schema.ts'
import { formatToolError, type ToolError } from '../../domain/tool/tool-error.ts'
import { toolsQueue } from '../../rules/jobs/contract.ts'
import type { ToolSpec } from '../../rules/tools/tool-spec.ts'
import { toStorable } from '../../util/text/storable.ts'
import { tellCard } from '../card/tell-card.ts'
import { recordDecided, recordSettled } from './audit-call.ts'
import { contentOf } from './content-of.ts'
import type { CallContext } from './gate/call-context.ts'
import type { GateTransaction } from './gate/load-facts.ts'
import { storedVerdict } from './gate/stored-verdict.ts'
import type { Ready } from './ready.ts'
import { refuseReady } from './refuse-ready.ts'
import { answerFromCache } from './result/answer-from-cache.ts'
import { findCached, type Remembered } from './result/find-cached.ts'
import { reformatHint } from './result/reformat-hint.ts'
import { type AgentAnswer, runAgentTool } from './run-agent-tool.ts'
import { type CallToSign, signCall } from './sign-call.ts'
import { namesOf } from './tell-call.ts'

const tooLarge: ToolError = {
  category: 'invalid_parameters',
  message: 'a path of this call, or the rules about it, are too long for a worker to take',
}

const notKept: ToolError = {
  category: 'permanent_failure',
  message: 'the file is not kept any more; it can be sent again',
}

/** Signs a call's job and queues it, once the transaction has committed; what the agent does itself is done here. */
export async function sendCall(tx: GateTransaction, ready: Ready): Promise<'settled' | 'open'> {
  const { call, judged, approval, spends } = ready
  const { spec, args, verdict } = judged
  if (spec.runsIn === 'agent') return runHere(tx, ready)
  const cached = await findCached(tx, ready)
  if (cached && (await answerFromCache(tx, ready, cached))) return 'settled'
  const carried = await contentOf(tx.db, spec, call)
  if (carried === 'gone') {
    await returnUses(tx.db, spends)
    return refuseReady(tx, call, { state: 'failed', error: notKept })
  }
  if (spec.mutating) await recordFilesChange(tx.db, tx.session.id, args['background'] === true)
  const job = signCall(tx.ctx, tx, tx.facts, {
    type: 'run',
    call,
    spec,
    args,
    attempt: call.attempt + 1,
    ...carried,
    ...cacheOf(spec, cached),
    ...(approval?.state === 'approved' ? { approvalId: approval.id } : {}),
  })
  if (job === undefined) {
    await returnUses(tx.db, spends)
    return refuseReady(tx, call, { state: 'failed', error: tooLarge })
  }
  const sent = {
    driver: tx.facts.driver,
    verdict: storedVerdict(verdict),
    spent_grants: spentOf(spends),
    cache_key: cached?.key ?? null,
    cached_from: cached?.result?.callId ?? null,
  }
  const queued = await markQueued(tx.db, call.id, sent)
  const note = noteOn(spec, queued)
  await recordDecided(tx, queued, tx.turn.caller_id, { approval, ...note })
  tx.effects.sendJob(
    toolsQueue(tx.session.worker, tx.facts.warmAt),
    `call-${queued.id}-${queued.attempt}`,
    job,
  )
  tx.effects.tell({
    kind: 'call_sent',
    ...namesOf(queued),
    attempt: queued.attempt,
    worker: tx.session.worker,
  })
  return 'open'
}

/** The box compares; of the web there is nothing to compare. */
function cacheOf({ runsIn }: ToolSpec, cached: Remembered | undefined): Pick<CallToSign, 'cache'> {
  if (cached === undefined || runsIn !== 'box') return {}
  const known = cached.result?.fingerprint
  return { cache: known === undefined ? {} : { known } }
}

/** TERM-03, CHAT-07: nobody was asked, because who would answer is who typed or sent it. */
function noteOn(
  { carriesFile }: ToolSpec,
  { message_id }: ToolCallRow,
): { readonly note?: string } {
  if (message_id !== null) return {}
  return { note: carriesFile === true ? 'a person’s own file' : 'a person’s own command' }
}

function spentOf(ids: readonly string[]): string | null {
  return ids.length === 0 ? null : JSON.stringify(ids)
}

async function runHere(tx: GateTransaction, { call, judged, approval }: Ready): Promise<'settled'> {
  await recordDecided(tx, call, tx.turn.caller_id, { approval })
  const answer = await runAgentTool(tx, {
    tool: call.tool,
    args: judged.args,
  })
  const end = await endOf(tx.ctx, tx.db, call, answer)
  const settled = await settleWithoutWorker(tx.db, call.id, { ...end, duration_ms: 0 })
  if (settled === undefined) return 'settled'
  await recordSettled(tx, settled, tx.turn.caller_id)
  await tellCard(tx, settled)
  return 'settled'
}

async function endOf(ctx: CallContext, db: Db, call: ToolCallRow, answer: AgentAnswer) {
  if (answer.kind === 'ok') {
    const result = toStorable(answer.text)
    return { state: 'succeeded', result, is_error: false, error_category: null } as const
  }
  const { error } = answer
  const hint = await reformatHint(ctx, db, call, error)
  const result = toStorable(formatToolError(error, { hint }))
  return { state: 'failed', result, is_error: true, error_category: error.category } as const
}
