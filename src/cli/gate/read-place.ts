import { rulesIn } from '../../app/find-rules.ts'
import { explainError } from '../../app/logs/explain-error.ts'
import { type CommandInput, openStandaloneDatabase } from '../../app/with-database.ts'
import type { Config } from '../../config/config.ts'
import type { GateParts } from '../../core/call/gate/load-facts.ts'
import { toFacts } from '../../core/call/gate/load-facts.ts'
import { findLiveGrants, readBeats } from '../../db/approval/grants.ts'
import { findTrust } from '../../db/call/tool-trust.ts'
import type { Db, WorkerRow } from '../../db/schema.ts'
import { findSession } from '../../db/turn/sessions.ts'
import { findKnownReplicas } from '../../db/worker/workers.ts'
import { CommandError } from '../../domain/command-error.ts'
import type { ToolTrust } from '../../domain/trust.ts'
import type { GateFacts } from '../../rules/gate/gate.ts'
import { defaultPermissions } from '../../rules/gate/permissions/default-permissions.ts'
import type { Grant } from '../../rules/gate/permissions/rule.ts'

/** Whose call it is to be, as far as somebody says. */
export interface PlaceNames {
  readonly worker?: string
  readonly session?: string
  readonly caller?: string
}

/** The facts of a call that nobody made, and what of them could not be known. */
export interface ReadPlace {
  readonly worker: string
  readonly facts: GateFacts
  readonly unseen: readonly string[]
  /** Why the database could not be read; absent: it was. */
  readonly withoutDatabase?: string
}

interface Stored {
  readonly worker: string | undefined
  readonly replicas: readonly WorkerRow[]
  readonly grants: readonly Grant[]
  readonly trust: ToolTrust
  readonly text: string | undefined
  readonly conversationId: string | undefined
  readonly unseen: readonly string[]
  readonly withoutDatabase?: string
}

/**
 * APPR-12: the facts that a call of this worker would be judged by now. Reads, and changes nothing; where there is no
 * database, or none that answers, the rules of files alone count.
 */
export async function readPlace(
  input: CommandInput,
  parts: GateParts,
  names: PlaceNames,
): Promise<ReadPlace> {
  const stored = await readStored(input, names)
  const worker = stored.worker ?? names.worker ?? input.config.worker.name
  const text = stored.text ?? defaultPermissions
  const { replicas, grants, trust, conversationId } = stored
  const known = { text, grants, trust, replicas, conversationId: conversationId ?? 'conversation' }
  const facts = toFacts(parts, known)
  const isUnknown = replicas.length === 0
  const unseen = isUnknown ? [...stored.unseen, noReplica(worker)] : stored.unseen
  const { withoutDatabase } = stored
  return {
    worker,
    facts: isUnknown ? { ...facts, confined: true } : facts,
    unseen,
    ...(withoutDatabase !== undefined && { withoutDatabase }),
  }
}

async function readStored(input: CommandInput, names: PlaceNames): Promise<Stored> {
  try {
    await using beside = await openStandaloneDatabase(input)
    return await readRows(beside.database.db, input.config, names)
  } catch (error) {
    const explained = explainError(error)
    if (explained === undefined || explained.exitCode === 2) throw error
    const why = `the database (${explained.message}): grants, trust and the worker's boxes`
    return {
      worker: undefined,
      replicas: [],
      grants: [],
      trust: new Map(),
      text: await rulesIn(input.config, undefined, names.worker ?? input.config.worker.name),
      conversationId: undefined,
      unseen: [why],
      withoutDatabase: explained.message,
    }
  }
}

async function readRows(db: Db, config: Config, names: PlaceNames): Promise<Stored> {
  const session = names.session === undefined ? undefined : await findSession(db, names.session)
  if (names.session !== undefined && session === undefined) {
    throw new CommandError(`there is no session ${names.session}`, { exitCode: 2 })
  }
  const worker = session?.worker ?? names.worker ?? config.worker.name
  const { caller } = names
  const isWhole = session !== undefined && caller !== undefined
  return {
    worker,
    replicas: await findKnownReplicas(db, worker),
    grants: isWhole ? await grantsOf(db, session.id, caller) : [],
    trust: await findTrust(db),
    text: await rulesIn(config, db, worker),
    conversationId: session?.conversation_id,
    unseen: isWhole
      ? []
      : ['what Always granted in a session: name it with --session and --caller'],
  }
}

/** Those that end with a turn hold while it lasts. */
async function grantsOf(db: Db, sessionId: string, callerId: string): Promise<readonly Grant[]> {
  const grants = await findLiveGrants(db, sessionId, { callerId })
  return grants.map(({ id, tool, pattern, uses_left: usesLeft, beats }) => ({
    id,
    tool,
    pattern,
    usesLeft,
    beats: readBeats(beats),
  }))
}

function noReplica(worker: string): string {
  return `the boxes of the worker ${worker}: paths are judged in /workspace, commands as confined`
}
