import { createWriteStream } from 'node:fs'
import { readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { signingKeyFile } from '../../../app/keys/load-keys.ts'
import { readablePaths } from '../../../app/settings/paths.ts'
import { type CommandInput, openStandaloneDatabase } from '../../../app/with-database.ts'
import type { Config } from '../../../config/config.ts'
import { findOtherConnections } from '../../../db/backup/reset-database.ts'
import {
  findAuditMonths,
  findSequences,
  findStoredTables,
  readRows,
} from '../../../db/backup/stored-tables.ts'
import { inSnapshot } from '../../../db/database.ts'
import { doneSteps } from '../../../db/lineage/compare-lineage.ts'
import type { Db } from '../../../db/schema.ts'
import { CommandError } from '../../../domain/command-error.ts'
import { isPathInside } from '../../../util/files.ts'
import { hasCode } from '../../../util/has-code.ts'
import { type TarPart, writeTar } from '../../../util/tar/write-tar.ts'
import {
  dataParts,
  type End,
  type Manifest,
  type NamedWorkspace,
  namedWorkspaces,
} from './open-backup.ts'
import { findNamedWorkspaces } from './served-workspaces.ts'
import { walkFiles } from './walk-files.ts'

export interface BackupInput extends CommandInput {
  /** Absolute path; `-` is standard output. */
  readonly file: string
  /** Version of the program. */
  readonly version: string
  /** Includes workspaces named by `--workspace` or `[worker] workspace`. */
  readonly withNamed?: boolean
}

/** Content of a backup. */
export interface MadeBackup {
  readonly rows: number
  readonly files: number
  /** Files left out, each with a reason. */
  readonly leftOut: readonly string[]
  readonly namedWorkspaces: readonly NamedWorkspace[]
}

/**
 * Writes a snapshot of the database, the keys, rules, workspaces and journals into one file (0600), which appears only
 * when complete and never where boxes could read it. The product may run meanwhile. Memory use is bounded.
 */
export async function makeBackup(input: BackupInput): Promise<MadeBackup> {
  if (input.file !== '-') await assertBackupPath(input.config, input.file)
  await using beside = await openStandaloneDatabase(input)
  const { db } = beside.database
  const named = await nameWorkspaces(input)
  const made = { rows: new Map<string, number>(), files: 0, leftOut: [] as string[], named }
  await inSnapshot(db, async (view) => {
    const parts = partsOf(input, view, made, beside.server.kind === 'started')
    const bytes = writeTar(parts, (sha256) => {
      const end: End = { sha256, rows: Object.fromEntries(made.rows), files: made.files }
      return jsonPart('end.json', end)
    })
    await write(input.file, bytes)
  })
  const rows = [...made.rows.values()].reduce((sum, count) => sum + count, 0)
  return { rows, files: made.files, leftOut: made.leftOut, namedWorkspaces: named }
}

/** Assigns each workspace a unique name in the backup that ends like its path. */
async function nameWorkspaces(input: BackupInput): Promise<readonly NamedWorkspace[]> {
  const paths = await findNamedWorkspaces(input.config)
  if (input.withNamed !== true) return paths.map((path) => ({ path }))
  const named: NamedWorkspace[] = []
  for (const [at, path] of paths.entries()) {
    if (input.file !== '-') await assertOutside(path, input.file)
    const isThere = (await stat(path).catch(() => undefined))?.isDirectory() === true
    named.push({ path, ...(isThere && { included: `${at + 1}-${basename(path)}` }) })
  }
  return named
}

async function assertOutside(workspace: string, file: string): Promise<void> {
  if (!isPathInside(workspace, await realpath(dirname(file)))) return
  throw new CommandError(`${file} lies in the workspace ${workspace}: name a file elsewhere`, {
    code: 'BACKUP_PLACE',
  })
}

/** Counters of the backup in progress. */
interface Made {
  readonly rows: Map<string, number>
  files: number
  readonly leftOut: string[]
  readonly named: readonly NamedWorkspace[]
}

async function* partsOf(
  { config, version }: BackupInput,
  db: Db,
  made: Made,
  isAlone: boolean,
): AsyncGenerator<TarPart> {
  const tables = await findStoredTables(db)
  const manifest: Manifest = {
    format: 'countersign-backup',
    version: 1,
    made_at: new Date().toISOString(),
    program: version,
    quiet: isAlone || (await findOtherConnections(db)).length === 0,
    steps: [...(await doneSteps(db))],
    tables: tables.map(({ name, columns }) => ({ name, columns: [...columns] })),
    sequences: await findSequences(db),
    audit_months: [...(await findAuditMonths(db))],
    named_workspaces: [...made.named],
  }
  yield jsonPart('manifest.json', manifest)
  for (const table of tables) {
    let part = 0
    for await (const { rows, lines } of readRows(db, table)) {
      part += 1
      made.rows.set(table.name, (made.rows.get(table.name) ?? 0) + rows)
      yield filePart(`database/${table.name}.${String(part).padStart(6, '0')}.jsonl`, lines)
    }
  }
  yield* keysOf(config)
  yield* filesOf(config.dataDir, made)
}

async function* filesOf(dataDir: string, made: Made): AsyncGenerator<TarPart> {
  const leftOut = (path: string, why: string) => made.leftOut.push(`${path}: ${why}`)
  const places: { root: string; name: string; as: string }[] = dataParts
    .filter((name) => name !== namedWorkspaces)
    .map((name) => ({ root: dataDir, name, as: name }))
  for (const { path, included } of made.named) {
    if (included === undefined) continue
    const as = `${namedWorkspaces}/${included}`
    places.push({ root: dirname(path), name: basename(path), as })
  }
  if (made.named.some(({ included }) => included !== undefined)) {
    yield directoryPart(`data/${namedWorkspaces}`)
  }
  for (const { root, name, as } of places) {
    for await (const part of walkFiles(root, name, leftOut, as)) {
      if (part.entry.kind !== 'directory') made.files += 1
      yield part
    }
  }
}

/** Yields the keys, from the configured paths or the data directory. */
async function* keysOf({ signingKeyFile: named, verifyKeysFile, dataDir }: Config) {
  const places = {
    'signing-key.pem': named ?? signingKeyFile(dataDir),
    'verify-keys.pem': verifyKeysFile,
  }
  for (const [name, place] of Object.entries(places)) {
    if (place === undefined) continue
    const text = await readFile(place).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return undefined
      throw error
    })
    if (text !== undefined) yield filePart(`keys/${name}`, text)
  }
}

function jsonPart(path: string, value: Manifest | End): TarPart {
  return filePart(path, Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`))
}

function filePart(path: string, content: Buffer): TarPart {
  const mtime = Math.floor(Date.now() / 1000)
  const entry = { path, mode: 0o600, uid: 0, gid: 0, mtime, target: '' }
  return { entry: { ...entry, kind: 'file', size: content.length }, content: [content] }
}

function directoryPart(path: string): TarPart {
  const { entry } = filePart(path, Buffer.alloc(0))
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  return { entry: { ...entry, kind: 'directory', mode: 0o700, uid, gid }, content: [] }
}

async function write(file: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  const gzip = createGzip({ level: 4 })
  if (file === '-') return await pipeline(bytes, gzip, process.stdout)
  const partial = `${file}.partial`
  try {
    await pipeline(
      bytes,
      gzip,
      createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true }),
    )
    await rename(partial, file)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) {
      throw new CommandError(
        `${partial} is there: another backup is being made, or was broken off; remove it`,
        { code: 'BACKUP_RUNNING', cause: error },
      )
    }
    await rm(partial, { force: true })
    throw error
  }
}

type Places = Pick<Config, 'dataDir' | 'tools' | 'worker'>

/** Throws CommandError if a backup file would be accessible to boxes, or be part of itself. */
export async function assertBackupPath(config: Places, file: string): Promise<void> {
  const directory = await realpath(dirname(file))
  for (const place of accessiblePaths(config)) {
    const real = await realpath(place).catch(() => place)
    if (!isPathInside(real, directory)) continue
    throw new CommandError(
      `${file} lies in ${place}, which commands and file tools may reach, and a backup holds the signing key: name a file elsewhere`,
      { code: 'BACKUP_PLACE' },
    )
  }
}

/** Absolute `allowed_paths` only; relative ones are parts of the workspace. */
function accessiblePaths({ dataDir, tools, worker }: Places): readonly string[] {
  const { file, shell } = tools
  return [
    ...(worker.workspace === undefined ? [] : [worker.workspace]),
    ...dataParts.map((name) => join(dataDir, name)),
    ...[...file.allowedPaths, ...shell.allowedPaths].filter((path) => isAbsolute(path)),
    ...readablePaths(file.allowRead),
  ]
}
