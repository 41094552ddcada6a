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

/** A worker's rules as they are to be changed. */
export interface RulesToChange {
  /** Of the file, or words for the row of the database. */
  readonly path: string
  readonly text: string
  readonly version: string
}

/** Loads a worker's rules to be changed, and makes them of the defaults where there are none. */
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
 * Saves a text in the place of the one that was loaded; false: somebody else changed it meanwhile, and it stays as they left it.
 * What changed is recorded with it: what is not recorded is not saved. Before the first start there is nothing to record it in.
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
        if (!(await save(openPermissions(config, db).permissionsIn(trx)))) throw new Overtaken()
      })
      return true
    } catch (error) {
      if (error instanceof Overtaken) return false
      throw error
    }
  })
}

/** Undoes the record of a change that was not made. */
class Overtaken extends Error {
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
