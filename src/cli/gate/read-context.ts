import { rulesIn } from '../../app/find-rules.ts'
import { explainError } from '../../app/logs/explain-error.ts'
import { type CommandInput, openStandaloneDatabase } from '../../app/with-database.ts'
import type { Config } from '../../config/config.ts'
import { type GateParts, toFacts } from '../../core/call/gate/call-context.ts'
import { findLiveGrants, readBeats } from '../../db/approval/grants.ts'
import { findTrust } from '../../db/call/tool-trust.ts'
import type { Db } from '../../db/schema.ts'
import { findSession } from '../../db/turn/sessions.ts'
import { findKnownReplicas, type KnownReplica } from '../../db/worker/workers.ts'
import { CommandError } from '../../domain/command-error.ts'
import type { ToolTrust } from '../../domain/trust.ts'
import type { GateFacts } from '../../rules/gate/gate.ts'
import { defaultPermissions } from '../../rules/gate/permissions/default-permissions.ts'
import type { Grant } from '../../rules/gate/permissions/rule.ts'

/** Context of a hypothetical call, as far as given. */
export interface CallContext {
  readonly worker?: string
  readonly session?: string
  readonly caller?: string
}

/** Facts of a hypothetical call, and those that are unknown. */
export interface ReadContext {
  readonly worker: string
  readonly facts: GateFacts
  readonly unseen: readonly string[]
  /** Why the database could not be read; absent if it was. */
  readonly withoutDatabase?: string
}

interface Stored {
  readonly worker: string | undefined
  readonly replicas: readonly KnownReplica[]
  readonly grants: readonly Grant[]
  readonly trust: ToolTrust
  readonly text: string | undefined
  readonly conversationId: string | undefined
  readonly unseen: readonly string[]
  readonly withoutDatabase?: string
}

/**
 * APPR-12: reads the facts by which a call of this worker would be evaluated now. Changes nothing. Without a database
 * only rules in files count.
 */
export async function readContext(
  input: CommandInput,
  parts: GateParts,
  names: CallContext,
): Promise<ReadContext> {
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

async function readStored(input: CommandInput, names: CallContext): Promise<Stored> {
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

async function readRows(db: Db, config: Config, names: CallContext): Promise<Stored> {
  const session = names.session === undefined ? undefined : await findSession(db, names.session)
  if (names.session !== undefined && session === undefined) {
    throw new CommandError(`there is no session ${names.session}`, { code: 'UNKNOWN_NAME' })
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

/** Includes grants that end with a turn, as if the turn lasted. */
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
