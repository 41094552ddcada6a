import { createFilePermissionsStore, readRulesFile } from '../adapters/permissions/file-store.ts'
import type { Config } from '../config/config.ts'
import { describePermissionsRow } from '../core/call/gate/file-rules.ts'
import type { Db } from '../db/schema.ts'
import { findPermissions, hasPermissionsTable } from '../db/worker/worker-permissions.ts'
import { CommandError } from '../domain/command-error.ts'
import { hasDatabase } from './reach-server.ts'
import { permissionsPlace } from './settings/permissions-place.ts'
import { type CommandInput, withDatabase } from './with-database.ts'

/** Rules of a worker, as commands read them. */
export interface FoundRules {
  /** Path of the file, or a description of the database row. */
  readonly path: string
  /** undefined if the worker has not run yet, so that the defaults apply. */
  readonly text: string | undefined
  /** File with rules that is ignored, because the rules are kept in the database. */
  readonly unread?: string
}

/** Reads a worker's rules from file or database, and creates none. */
export async function findRules(
  input: CommandInput & { readonly signal: AbortSignal },
  worker: string,
): Promise<FoundRules> {
  const { config } = input
  const path = permissionsPath(config, worker)
  const file = await readRulesFile(filePath(config, worker))
  if (permissionsPlace(config) === 'file') return { path, text: file }
  const text = await findRow(input, worker)
  const unread = file === undefined || file === text ? {} : { unread: filePath(config, worker) }
  return { path, text: text ?? file, ...unread }
}

/** Returns the text of a worker's rules with an open database, or none; undefined if the worker has not run yet. */
export async function rulesIn(
  config: Config,
  db: Db | undefined,
  worker: string,
): Promise<string | undefined> {
  const file = await readRulesFile(filePath(config, worker))
  if (db === undefined || permissionsPlace(config) === 'file') return file
  return (await rowIn(db, worker)) ?? file
}

/** Returns the location of a worker's rules, which need not exist. */
export function permissionsPath(config: Config, worker = config.worker.name): string {
  const file = filePath(config, worker)
  return permissionsPlace(config) === 'file' ? file : describePermissionsRow(worker)
}

function filePath(config: Config, worker: string): string {
  const store = createFilePermissionsStore({ dataDir: config.dataDir, seed: '' })
  try {
    return store.describe(worker)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CommandError(`${JSON.stringify(worker)} names no worker: ${why}`, {
      code: 'UNKNOWN_NAME',
      cause: error,
    })
  }
}

async function findRow(
  input: CommandInput & { readonly signal: AbortSignal },
  worker: string,
): Promise<string | undefined> {
  const { databaseUrl, dataDir } = input.config
  if (databaseUrl === undefined && !(await hasDatabase(dataDir))) return undefined
  return await withDatabase(input, ({ db }) => rowIn(db, worker))
}

async function rowIn(db: Db, worker: string): Promise<string | undefined> {
  // A database that was not migrated to this version has no such table.
  if (!(await hasPermissionsTable(db))) return undefined
  const row = await findPermissions(db, worker)
  return row?.text ?? undefined
}
