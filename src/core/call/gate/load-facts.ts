import { hasApprovedText } from '../../../db/approval/approved-text.ts'
import type { LiveGrant } from '../../../db/approval/grants.ts'
import { findGateRows, type GateRows } from '../../../db/call/gate-rows.ts'
import { findSucceededTools } from '../../../db/call/succeeded-tools.ts'
import type { Db, SessionRow, TurnRow } from '../../../db/schema.ts'
import type { KnownReplica } from '../../../db/worker/workers.ts'
import type { ToolTrust } from '../../../domain/trust.ts'
import type { GateFacts } from '../../../rules/gate/gate.ts'
import {
  namedDependencies,
  unmetRequirements,
} from '../../../rules/tools/shown/unmet-requirements.ts'
import type { TurnTransaction } from '../../transaction.ts'
import type { CallContext } from './call-context.ts'
import { readWarnings } from './read-warnings.ts'

/** What the gate decides on, read anew for every transition: a rule tightened meanwhile counts (POL-06). */
export interface LoadedFacts extends GateFacts {
  readonly grants: readonly LiveGrant[]
  readonly driver: string
  /** What a person must know of the box (BOX-08). */
  readonly warnings: readonly string[]
  /** SCH-03: tools on which others depend and that have succeeded in the session. */
  readonly succeeded: ReadonlySet<string>
  /** Where the session's box is warm, if that replica lives (DECISIONS 3). */
  readonly warmAt: string | undefined
}

/** A transition of one turn that judges calls, with the facts that they are judged by. */
export interface GateTransaction<Context extends CallContext = CallContext>
  extends TurnTransaction<Context> {
  readonly facts: LoadedFacts
}

/** The parts of the context that the gate's facts come from. */
export type GateParts = Pick<
  CallContext,
  | 'operator'
  | 'policy'
  | 'variables'
  | 'reviews'
  | 'parseRules'
  | 'protectedPaths'
  | 'files'
  | 'commands'
  | 'web'
>

/** What was read of one worker and session. */
export interface KnownPlace {
  /** The worker's `permissions.jsonc`. */
  readonly text: string
  readonly grants: GateFacts['grants']
  readonly trust: ToolTrust
  /** Those that may take the job; the first tells where boxes have the workspace. */
  readonly replicas: readonly KnownReplica[]
  readonly conversationId: string
}

export async function loadFacts(
  ctx: CallContext,
  db: Db,
  session: SessionRow,
  turn: Pick<TurnRow, 'id' | 'caller_id'>,
): Promise<LoadedFacts> {
  return completeFacts(ctx, db, session, await findGateRows(db, session, turn))
}

/** The facts of rows that were read in the same transaction. */
export async function completeFacts(
  ctx: CallContext,
  db: Db,
  session: SessionRow,
  { replicas, grants, trust }: GateRows,
): Promise<LoadedFacts> {
  const [replica] = replicas
  const { text } = await ctx.permissionsIn(db).load(session.worker)
  const shadow = await ctx.shadowRules?.()
  const known = { text, grants, trust, replicas, conversationId: session.conversation_id }
  const facts = toFacts(ctx, known)
  return {
    ...facts,
    grants,
    ...(shadow === undefined ? {} : { shadow: ctx.parseRules(shadow, facts.workspace) }),
    trustsText: ctx.callsInText && (await hasApprovedText(db, session.id)),
    alwaysByName: ctx.settings.alwaysByName ?? [],
    ...(await dependenciesIn(ctx, db, session.id)),
    driver: replica?.driver ?? 'unknown',
    warnings: replica === undefined ? [] : readWarnings(replica),
    warmAt: warmAt(session, replicas),
  }
}

async function dependenciesIn({ settings }: CallContext, db: Db, sessionId: string) {
  const dependencies = settings.toolView?.dependencies
  if (dependencies === undefined) return { succeeded: new Set<string>() }
  const succeeded = await findSucceededTools(db, sessionId, namedDependencies(dependencies))
  return { succeeded, unmet: unmetRequirements(dependencies, succeeded) }
}

/** The facts themselves, of what was read. */
export function toFacts(parts: GateParts, place: KnownPlace): GateFacts {
  const { text, grants, trust, replicas, conversationId } = place
  const [replica] = replicas
  const workspace = boxWorkspace(replica, conversationId)
  return {
    operator: parts.operator,
    policy: parts.policy,
    variables: parts.variables,
    reviews: parts.reviews,
    trust,
    worker: parts.parseRules(text, workspace),
    grants,
    workspace,
    protectedPaths: parts.protectedPaths(workspace),
    allowedPaths: parts.files.allowed(workspace),
    commandPaths: parts.commands.allowed(workspace),
    readablePaths: parts.files.allowRead,
    // A job may be taken by any of them.
    confined: replica !== undefined && replicas.every(({ confined }) => confined),
    refusesByLook: replicas.some(({ driver }) => driver === 'process'),
    web: parts.web,
  }
}

/** The path of a conversation's workspace in the boxes of this replica; without one, where most boxes have it. */
function boxWorkspace(replica: KnownReplica | undefined, workspaceId: string): string {
  return (replica?.box_workspace ?? '/workspace').replaceAll('{workspace}', workspaceId)
}

/** A replica that has gone silent is not waited for; one that says farewell counts as silent at once. */
function warmAt(
  { box_replica }: SessionRow,
  replicas: readonly KnownReplica[],
): string | undefined {
  const isAlive = replicas.some(({ replica, is_alive }) => is_alive && replica === box_replica)
  return isAlive ? (box_replica ?? undefined) : undefined
}
