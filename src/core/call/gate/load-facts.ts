import { z } from 'zod'
import { hasApprovedText } from '../../../db/approval/approved-text.ts'
import type { LiveGrant } from '../../../db/approval/grants.ts'
import { findGateRows, type GateRows } from '../../../db/call/gate-rows.ts'
import { findSucceededTools } from '../../../db/call/model-tool-use.ts'
import type { Db, SessionRow, TurnRow } from '../../../db/schema.ts'
import type { KnownReplica } from '../../../db/worker/workers.ts'
import type { ToolTrust } from '../../../domain/trust.ts'
import type { GateFacts } from '../../../rules/gate/gate.ts'
import { makeVisible } from '../../../rules/gate/visible.ts'
import {
  namedDependencies,
  unmetRequirements,
} from '../../../rules/tools/shown/unmet-requirements.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'
import { readTexts } from '../../stored.ts'
import type { TurnTransaction } from '../../transaction.ts'
import type { CallContext } from './call-context.ts'

const stored = z.union([z.literal('all'), z.array(z.string())])

/** Facts the gate decides on, read for every transition, so that a rule tightened meanwhile counts (POL-06). */
export interface LoadedFacts extends GateFacts {
  readonly grants: readonly LiveGrant[]
  readonly driver: string
  /** Warnings about the box for people (BOX-08). */
  readonly warnings: readonly string[]
  /** SCH-03: prerequisite tools that have succeeded in the session. */
  readonly succeeded: ReadonlySet<string>
  /** Replica with the session's warm box, if it is alive (DECISIONS 3). */
  readonly warmAt: string | undefined
  /** As these facts were read: a mutating call of the session is at a worker or may still run there; undefined if not read. */
  readonly isMutating: boolean | undefined
}

/** Transition of one turn that evaluates calls, with its facts. */
export interface GateTransaction<Context extends CallContext = CallContext>
  extends TurnTransaction<Context> {
  readonly facts: LoadedFacts
}

/** Context fields from which the gate's facts are derived. */
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

/** Stored data of one worker and session. */
interface GateInputs {
  /** The worker's `permissions.jsonc`. */
  readonly text: string
  readonly grants: GateFacts['grants']
  readonly trust: ToolTrust
  /** Replicas that may take the job; the first gives the workspace path in boxes. */
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
  { replicas, grants, trust, isMutating }: GateRows,
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
    isMutating,
  }
}

async function dependenciesIn({ settings }: CallContext, db: Db, sessionId: string) {
  const dependencies = settings.toolView?.dependencies
  if (dependencies === undefined) return { succeeded: new Set<string>() }
  const succeeded = await findSucceededTools(db, sessionId, namedDependencies(dependencies))
  return { succeeded, unmet: unmetRequirements(dependencies, succeeded) }
}

/** Builds the facts from stored data. */
export function toFacts(parts: GateParts, place: GateInputs): GateFacts {
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
    // Any of them may take the job.
    confined: replica !== undefined && replicas.every(({ confined }) => confined),
    refusesByLook: replicas.some(({ driver }) => driver === 'process'),
    web: parts.web,
  }
}

/** Returns a conversation's workspace path in the boxes of this replica; without a replica, the usual path. */
function boxWorkspace(replica: KnownReplica | undefined, workspaceId: string): string {
  return (replica?.box_workspace ?? '/workspace').replaceAll('{workspace}', workspaceId)
}

/** Returns the replica with the warm box if it is alive; one that said farewell counts as silent at once. */
function warmAt(
  { box_replica }: SessionRow,
  replicas: readonly KnownReplica[],
): string | undefined {
  const isAlive = replicas.some(({ replica, is_alive }) => is_alive && replica === box_replica)
  return isAlive ? (box_replica ?? undefined) : undefined
}

/**
 * Returns the warnings a worker process reported, one line each. It is untrusted text shown on cards: it cannot start a new line
 * or hide anything (THREAT-23).
 */
export function readWarnings({ warnings }: { readonly warnings: string }): readonly string[] {
  return readTexts(warnings).map((warning) => makeVisible(warning.replaceAll(/\s+/g, ' ')))
}

/** SCH-02: names of the tools selected for a turn, or all. */
type ShownTools = ReadonlySet<string> | 'all'

/** Returns the tools selected for a turn; all if none were stored. */
export function shownTools({ shown_tools: text }: Pick<TurnRow, 'shown_tools'>): ShownTools {
  if (text === null) return 'all'
  const names = stored.parse(tryParseJson(text))
  return names === 'all' ? names : new Set(names)
}

/** Serialises them for the turn's row. */
export function storedTools(shown: ShownTools): string {
  return JSON.stringify(shown === 'all' ? shown : [...shown].sort())
}
