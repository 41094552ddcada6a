import { createFilePermissionsStore } from '../../adapters/permissions/file-store.ts'
import { permissionsPath } from '../../app/find-rules.ts'
import { createProductRedactor } from '../../app/logs/create-product-redactor.ts'
import { openPermissions } from '../../app/open-permissions.ts'
import { hasDatabase } from '../../app/reach-server.ts'
import { permissionsPlace } from '../../app/settings/permissions-place.ts'
import { type CommandInput, withDatabase } from '../../app/with-database.ts'
import { record } from '../../core/audit/record.ts'
import { inTransaction } from '../../db/database.ts'
import type { Db } from '../../db/schema.ts'
import type { PermissionsStore } from '../../ports/permissions-store.ts'
import { defaultPermissions } from '../../rules/gate/permissions/default-permissions.ts'
import { describeChange } from '../../rules/gate/permissions/describe-change.ts'

export interface ChangeInput extends CommandInput {
  readonly signal: AbortSignal
  readonly worker: string
}

/** Rules of a worker, loaded for a change. */
export interface RulesToChange {
  /** Path of the file, or a description of the database row. */
  readonly path: string
  readonly text: string
  readonly version: string
}

/** Loads a worker's rules, creating them from the defaults if missing. */
export async function loadRules(input: ChangeInput): Promise<RulesToChange> {
  const { config, worker } = input
  const path = permissionsPath(config, worker)
  if (permissionsPlace(config) === 'file') return { path, ...(await fileStore(input).load(worker)) }
  const loaded = await withDatabase(input, ({ db }) =>
    openPermissions(config, db).permissions.load(worker),
  )
  return { path, ...loaded }
}

/**
 * Replaces the loaded rules; false if they were changed concurrently. The change is audited in the same transaction;
 * before the first start there is no audit to write to.
 */
export async function saveRules(
  input: ChangeInput,
  before: RulesToChange,
  text: string,
): Promise<boolean> {
  const { config, worker } = input
  const save = (store: PermissionsStore) =>
    store.save(worker, before.version, text, callerOf(input))
  const isFile = permissionsPlace(config) === 'file'
  if (isFile && config.databaseUrl === undefined && !(await hasDatabase(config.dataDir))) {
    return await save(fileStore(input))
  }
  return await withDatabase(input, async ({ db }) => {
    try {
      await inTransaction(db, async (trx) => {
        await recordChange(trx, input, before.text, text)
        if (!(await save(openPermissions(config, db).permissionsIn(trx))))
          throw new ConcurrentChange()
      })
      return true
    } catch (error) {
      if (error instanceof ConcurrentChange) return false
      throw error
    }
  })
}

/** Rolls back the audit row of a change that was not saved. */
class ConcurrentChange extends Error {
  override name = 'Overtaken'
}

function fileStore({ config }: ChangeInput): PermissionsStore {
  return createFilePermissionsStore({ dataDir: config.dataDir, seed: defaultPermissions })
}

function callerOf({ environment }: ChangeInput): string {
  return `console:${environment.user}`
}

async function recordChange(
  db: Db,
  input: ChangeInput,
  before: string,
  after: string,
): Promise<void> {
  const { config, worker } = input
  const changes = describeChange(before, after).join('; ')
  const note = `changed the rules of worker "${worker}": ${changes}`
  await record(db, {
    kind: 'command',
    chain: 'system',
    caller_id: callerOf(input),
    worker,
    note: createProductRedactor(config).redact(note).text,
  })
}
