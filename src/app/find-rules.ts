import { createFilePermissionsStore, readRulesFile } from '../adapters/permissions/file-store.ts'
import type { Config } from '../config/config.ts'
import { describePermissionsRow } from '../core/call/gate/row-permissions-store.ts'
import type { Db } from '../db/schema.ts'
import { findPermissions, hasPermissionsTable } from '../db/worker/worker-permissions.ts'
import { CommandError } from '../domain/command-error.ts'
import { hasDatabase } from './reach-server.ts'
import { permissionsPlace } from './settings/permissions-place.ts'
import { type CommandInput, withDatabase } from './with-database.ts'

/** A worker's rules as a command finds them. */
export interface FoundRules {
  /** In words, or the file's path. */
  readonly path: string
  /** Undefined where the worker has not run yet: then the defaults count. */
  readonly text: string | undefined
  /** A file that is there although the rules are kept in the database: nobody reads it. */
  readonly unread?: string
}

/** Looks at a worker's rules wherever they are kept, and makes none. */
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

/** The text of a worker's rules for who has the database open, or has none; undefined where the worker has not run yet. */
export async function rulesIn(
  config: Config,
  db: Db | undefined,
  worker: string,
): Promise<string | undefined> {
  const file = await readRulesFile(filePath(config, worker))
  if (db === undefined || permissionsPlace(config) === 'file') return file
  return (await rowIn(db, worker)) ?? file
}

/** Where a worker's rules are, made or not. */
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
      exitCode: 2,
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
  // A database that was not brought to this version yet has no such table.
  if (!(await hasPermissionsTable(db))) return undefined
  const row = await findPermissions(db, worker)
  return row?.text ?? undefined
}
