import type { SessionRow, ToolCallRow, TurnRow } from '../../db/schema.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import type { ProgramFile } from '../../domain/tool/file-rules.ts'
import type { GateFacts } from '../../rules/gate/gate.ts'
import { declaredPaths, listingsOf, writtenOf } from '../../rules/gate/paths/judged-paths.ts'
import { makeVisible } from '../../rules/gate/visible.ts'
import { type JobHeader, jobHeader, type SignedJob, signedJob } from '../../rules/jobs/contract.ts'
import { signJob } from '../../rules/jobs/sign.ts'
import { type ToolSpec, timeLimitOf } from '../../rules/tools/tool-spec.ts'
import { sha256 } from '../../util/digest.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { gateCallOf } from '../card/read-card.ts'
import { readVerdict } from '../stored.ts'
import type { TurnRows } from '../transaction.ts'
import type { CallContext } from './gate/call-context.ts'
import { fileRulesOf } from './gate/file-rules.ts'

export interface CallToSign {
  readonly call: ToolCallRow
  readonly spec: ToolSpec
  readonly args: Readonly<Record<string, unknown>>
  /** `preview`: only inspect, for the card. */
  readonly type: 'run' | 'preview'
  /** Attempt of the job; for a preview, the number of its approval. */
  readonly attempt: number
  readonly approvalId?: string
  /** CHAT-07: file content sent beside the arguments. */
  readonly content?: Buffer
  /** OUT-11: cached state of the call; missing: not cached. */
  readonly cache?: JobHeader['cache']
  /** Time the attempt was first sent, in milliseconds of our clock; defaults to now. The job's lifetime starts there. */
  readonly signedAt?: number
}

/**
 * Signs a job with everything that decides what runs (PROC-02). Returns undefined if it exceeds the contract's limits, as every
 * worker would drop it silently.
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
  const written = writtenOf(gateCall, facts)
  const signed = signJob(
    ctx.signer,
    {
      ...address(rows, call),
      type,
      attempt,
      rules: fileRulesOf(ctx, spec, facts),
      judged: [...declaredPaths(gateCall, facts)],
      ...(listings.length === 0 ? {} : { listings: [...listings] }),
      ...(written.length === 0 ? {} : { written: [...written] }),
      ...programsFor(call, type),
      ...(call.base_sha256 === null ? {} : { baseSha256: call.base_sha256 }),
      timeoutMs: timeLimitOf(spec, args, ctx.settings),
      network: spec.runsPrograms === true && ctx.commands.network,
      ...transactionOf(ctx, spec, type),
      ...(spec.origin?.pin === undefined ? {} : { pin: spec.origin.pin }),
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

/** APPR-24: files to inspect for the card, or to compare if the approved card showed them. */
function programsFor(call: ToolCallRow, type: 'run' | 'preview'): Pick<JobHeader, 'programs'> {
  if (type === 'run' && call.base_sha256 === null) return {}
  const programs = programsOf(call)
  return programs.length === 0 ? {} : { programs: [...programs] }
}

/** BASH-07: keeps a snapshot before a call that may write. */
function transactionOf(
  { settings }: CallContext,
  { mutating, runsIn }: ToolSpec,
  type: 'run' | 'preview',
): Pick<JobHeader, 'transaction'> {
  const isKept = type === 'run' && mutating && runsIn === 'box'
  if (!isKept || settings.transaction === undefined) return {}
  return { transaction: settings.transaction }
}

/** Rows that identify a job's call. */
type JobRows = {
  readonly session: Pick<SessionRow, 'worker' | 'conversation_id'>
  readonly turn: Pick<TurnRow, 'epoch' | 'caller_id'>
}

/** Signs an order to cancel a call. Contains no arguments, since it travels over the bus, which is for small messages. */
export function signCancel(ctx: CallContext, place: JobRows, call: ToolCallRow): SignedJob {
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

function address({ session, turn }: JobRows, call: ToolCallRow) {
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

/** APPR-24: returns the workspace files that an evaluated call runs, as absolute paths in the box. */
export function programsOf(call: Pick<ToolCallRow, 'verdict'>): readonly string[] {
  return readVerdict(call).programs ?? []
}

/** Computes one digest of all files a call runs; the executor computes the same before it starts the call. */
export function programsDigest(files: readonly ProgramFile[]): string {
  return sha256(files.map((file) => (file.kind === 'file' ? file.sha256 : file.kind)).join('\n'))
}

/** Returns the lines describing these files on a card; empty if none of them exists. */
export function describePrograms(
  { cards }: Messages,
  programs: readonly string[],
  files: readonly ProgramFile[],
): readonly string[] {
  return programs.flatMap((named, at) => {
    const file = files[at]
    if (file === undefined || file.kind === 'absent') return []
    const path = makeVisible(named)
    if (file.kind === 'unread') return [cards.runsUnreadFile({ path })]
    return [cards.runsFile({ path, bytes: file.bytes, sha256: file.sha256 })]
  })
}
