import type { SessionRow, ToolCallRow, TurnRow } from '../../db/schema.ts'
import type { GateFacts } from '../../rules/gate/gate.ts'
import { judgedPaths, listingsOf } from '../../rules/gate/paths/judged-paths.ts'
import { type JobHeader, jobHeader, type SignedJob, signedJob } from '../../rules/jobs/contract.ts'
import { signJob } from '../../rules/jobs/sign.ts'
import { timeLimitOf } from '../../rules/tools/time-limit.ts'
import type { ToolSpec } from '../../rules/tools/tool-spec.ts'
import { sha256 } from '../../util/sha256.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { gateCallOf } from '../card/gate-call-of.ts'
import type { TurnRows } from '../transaction.ts'
import type { CallContext } from './gate/call-context.ts'
import { fileRulesOf } from './gate/file-rules-of.ts'
import { programsOf } from './program-files.ts'

export interface CallToSign {
  readonly call: ToolCallRow
  readonly spec: ToolSpec
  readonly args: Readonly<Record<string, unknown>>
  /** `preview`: only look, for the card. */
  readonly type: 'run' | 'preview'
  /** The attempt that the job is for; of a preview the number of the question that it is for. */
  readonly attempt: number
  readonly approvalId?: string
  /** CHAT-07: travels beside the arguments. */
  readonly content?: Buffer
  /** OUT-11: what is remembered of it; missing: nothing of it is. */
  readonly cache?: JobHeader['cache']
  /** When the attempt was first sent, in milliseconds of our clock; now by default. The job's life is counted from it. */
  readonly signedAt?: number
}

/**
 * A job that a worker will act on: everything that decides what runs, signed (PROC-02). undefined: it is larger than the
 * contract allows, so that every worker would drop it without a word.
 */
export function signCall(
  ctx: CallContext,
  rows: TurnRows,
  facts: GateFacts,
  {
    type,
    call,
    spec,
    args,
    attempt,
    approvalId,
    content,
    cache,
    signedAt = Date.now(),
  }: CallToSign,
): SignedJob | undefined {
  const gateCall = gateCallOf(call, { spec, args })
  const listings = listingsOf(gateCall, facts)
  const signed = signJob(
    ctx.signer,
    {
      ...address(rows, call),
      type,
      attempt,
      rules: fileRulesOf(ctx, spec, facts),
      judged: [...judgedPaths(gateCall, facts)],
      ...(listings.length === 0 ? {} : { listings: [...listings] }),
      ...programsFor(call, type),
      ...(call.base_sha256 === null ? {} : { baseSha256: call.base_sha256 }),
      timeoutMs: timeLimitOf(spec, args, ctx.settings),
      network: spec.executes === true && ctx.commands.network,
      ...transactionOf(ctx, spec, type),
      ...(approvalId === undefined ? {} : { approvalId }),
      ...(content === undefined ? {} : { contentSha256: sha256(content) }),
      ...(cache === undefined ? {} : { cache }),
    },
    call.arguments,
    Math.floor(signedAt / 1000),
  )
  const job = content === undefined ? signed : { ...signed, content: content.toString('base64') }
  return followsContract(job) ? job : undefined
}

/** APPR-24: to be looked at for the card, and compared where a card was approved that showed them. */
function programsFor(call: ToolCallRow, type: 'run' | 'preview'): Pick<JobHeader, 'programs'> {
  if (type === 'run' && call.base_sha256 === null) return {}
  const programs = programsOf(call)
  return programs.length === 0 ? {} : { programs: [...programs] }
}

/** BASH-07: the state before a call that may write is kept. */
function transactionOf(
  { settings }: CallContext,
  { mutating, runsIn }: ToolSpec,
  type: 'run' | 'preview',
): Pick<JobHeader, 'transaction'> {
  const isKept = type === 'run' && mutating && runsIn === 'box'
  if (!isKept || settings.transaction === undefined) return {}
  return { transaction: settings.transaction }
}

/** The scope's rows that name a job's call. */
type Place = {
  readonly session: Pick<SessionRow, 'worker' | 'conversation_id'>
  readonly turn: Pick<TurnRow, 'epoch' | 'caller_id'>
}

/** A signed order to end a call. Names the call and nothing that it would do: it travels over the bus, which is narrow. */
export function signCancel(ctx: CallContext, place: Place, call: ToolCallRow): SignedJob {
  const rules = { allowed: [], denyRead: [], allowRead: [], denyByRule: [], masked: [] }
  return signJob(
    ctx.signer,
    {
      ...address(place, call),
      type: 'cancel',
      attempt: call.attempt,
      rules: { workspace: '/', ...rules },
      judged: [],
      timeoutMs: 1,
      network: false,
    },
    '',
    Math.floor(Date.now() / 1000),
  )
}

function address({ session, turn }: Place, call: ToolCallRow) {
  return {
    callId: call.id,
    turnId: call.turn_id,
    epoch: turn.epoch,
    worker: session.worker,
    conversation: session.conversation_id,
    tool: call.tool,
    workspaceId: session.conversation_id,
    caller: turn.caller_id,
  }
}

function followsContract(job: SignedJob): boolean {
  if (!signedJob.safeParse(job).success) return false
  return jobHeader.safeParse(tryParseJson(job.header)).success
}
