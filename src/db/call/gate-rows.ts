import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { ToolTrust } from '../../domain/trust.ts'
import { type LiveGrant, selectGrants, toLiveGrant } from '../approval/grants.ts'
import type { Db, SessionRow, TurnRow } from '../schema.ts'
import { type KnownReplica, selectKnownReplicas } from '../worker/workers.ts'
import { selectMutating } from './tool-calls.ts'
import { selectTrust, toTrust } from './tool-trust.ts'

/** What the gate's facts are made of, as read in one statement. */
export interface GateRows {
  readonly replicas: readonly KnownReplica[]
  readonly grants: readonly LiveGrant[]
  readonly trust: ToolTrust
  /** True if a mutating call of the session is at a worker or may still run there; undefined if it was not read. */
  readonly isMutating: boolean | undefined
}

type Whose = Pick<TurnRow, 'id' | 'caller_id'>

export async function findGateRows(db: Db, session: SessionRow, turn: Whose): Promise<GateRows> {
  const { mutating, ...rows } = await db
    .selectNoFrom(gateColumns(db, session, turn))
    .select((eb) => eb.exists(selectMutating(db, session.id)).as('mutating'))
    .executeTakeFirstOrThrow()
  return { ...toGateRows(rows), isMutating: Boolean(mutating) }
}

/** Columns of a statement that reads more than this; `toGateRows` reads them. */
export function gateColumns(db: Db, session: SessionRow, turn: Whose) {
  return [
    jsonArrayFrom(selectKnownReplicas(db, session.worker)).as('replicas'),
    jsonArrayFrom(selectGrants(db, session.id, turn)).as('grants'),
    jsonArrayFrom(selectTrust(db)).as('trust'),
  ] as const
}

export function toGateRows(row: {
  readonly replicas: readonly KnownReplica[]
  readonly grants: readonly (Omit<LiveGrant, 'beats'> & { readonly beats: string | null })[]
  readonly trust: Parameters<typeof toTrust>[0]
}): GateRows {
  return {
    replicas: row.replicas,
    grants: row.grants.map(toLiveGrant),
    trust: toTrust(row.trust),
    isMutating: undefined,
  }
}
