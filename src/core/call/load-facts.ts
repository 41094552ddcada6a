import { findGrants } from '../../db/approvals.ts'
import type { Db, SessionRow, WorkerRow } from '../../db/schema.ts'
import { findKnownReplicas, type KnownReplica } from '../../db/workers.ts'
import type { GateFacts } from '../../rules/gate/gate.ts'
import type { CallKernel } from './call-kernel.ts'

/** What the gate decides on, read anew for every transition: a rule tightened meanwhile counts (POL-06). */
export interface LoadedFacts extends GateFacts {
  readonly driver: string
  /** What a person must know of the box (BOX-08). */
  readonly warnings: readonly string[]
  /** Where the session's box is warm, if that replica lives (DECISIONS 3). */
  readonly warmAt: string | undefined
}

export async function loadFacts(
  kernel: CallKernel,
  db: Db,
  session: SessionRow,
  callerId: string,
): Promise<LoadedFacts> {
  const replicas = await findKnownReplicas(db, session.worker)
  const [replica] = replicas
  const workspace = boxWorkspace(replica, session.conversation_id)
  const { text } = await kernel.permissions.load(session.worker)
  return {
    operator: kernel.operator,
    worker: kernel.parseRules(text, workspace),
    grants: await findGrants(db, session.id, callerId),
    workspace,
    protectedPaths: kernel.protectedPaths(workspace),
    allowedPaths: kernel.files.allowed(workspace),
    commandPaths: kernel.commands.allowed(workspace),
    readablePaths: kernel.files.allowRead,
    // A job may be taken by any of them.
    confined: replica !== undefined && replicas.every(({ confined }) => confined),
    web: kernel.web,
    driver: replica?.driver ?? 'unknown',
    warnings: replica === undefined ? [] : readWarnings(replica),
    warmAt: warmAt(session, replicas),
  }
}

/** The path of a conversation's workspace in the boxes of this replica; without one, where most boxes have it. */
function boxWorkspace(replica: WorkerRow | undefined, workspaceId: string): string {
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

function readWarnings(replica: WorkerRow): readonly string[] {
  return JSON.parse(replica.warnings)
}
