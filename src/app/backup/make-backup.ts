import { createWriteStream } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Config } from '../../config/config.ts'
import { readRows } from '../../db/backup/read-rows.ts'
import { findOthers } from '../../db/backup/reset-database.ts'
import { findAuditMonths, findSequences, findStoredTables } from '../../db/backup/stored-tables.ts'
import { inSnapshot } from '../../db/database.ts'
import { doneSteps } from '../../db/lineage/read-lineage.ts'
import type { Db } from '../../db/schema.ts'
import { hasCode } from '../../util/has-code.ts'
import type { TarPart } from '../../util/tar/write-tar.ts'
import { writeTar } from '../../util/tar/write-tar.ts'
import { CommandError } from '../command-error.ts'
import { signingKeyFile } from '../load-keys.ts'
import { type CommandInput, openBeside } from '../open-beside.ts'
import { assertBackupPlace } from './backup-place.ts'
import { dataParts, type End, type Manifest } from './manifest.ts'
import { walkFiles } from './walk-files.ts'

export interface BackupInput extends CommandInput {
  /** Absolute; `-` is standard output. */
  readonly file: string
  /** Of the program. */
  readonly version: string
}

/** What a backup holds. */
export interface MadeBackup {
  readonly rows: number
  readonly files: number
  /** Files that it lacks, each with the reason. */
  readonly leftOut: readonly string[]
}

/**
 * Writes the database as it is at one moment, the keys, the rules, the workspaces and the journals into one file (0600), which
 * is there only when it is whole, and never where boxes could read it. The product may run meanwhile. Memory does not grow with what there is.
 */
export async function makeBackup(input: BackupInput): Promise<MadeBackup> {
  if (input.file !== '-') await assertBackupPlace(input.config, input.file)
  await using beside = await openBeside(input)
  const { db } = beside.database
  const made = { rows: new Map<string, number>(), files: 0, leftOut: [] as string[] }
  await inSnapshot(db, async (view) => {
    const parts = partsOf(input, view, made, beside.server.kind === 'started')
    const bytes = writeTar(parts, (sha256) => {
      const end: End = { sha256, rows: Object.fromEntries(made.rows), files: made.files }
      return jsonPart('end.json', end)
    })
    await write(input.file, bytes)
  })
  const rows = [...made.rows.values()].reduce((sum, count) => sum + count, 0)
  return { rows, files: made.files, leftOut: made.leftOut }
}

/** Counts as it goes. */
interface Made {
  readonly rows: Map<string, number>
  files: number
  readonly leftOut: string[]
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
    quiet: isAlone || (await findOthers(db)).length === 0,
    steps: [...(await doneSteps(db))],
    tables: tables.map(({ name, columns }) => ({ name, columns: [...columns] })),
    sequences: await findSequences(db),
    audit_months: [...(await findAuditMonths(db))],
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
  for (const name of dataParts) {
    const leftOut = (path: string, why: string) => made.leftOut.push(`${path}: ${why}`)
    for await (const part of walkFiles(config.dataDir, name, leftOut)) {
      if (part.entry.kind !== 'directory') made.files += 1
      yield part
    }
  }
}

/** Where they are: named by the configuration, or the data directory's own. */
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
        { cause: error },
      )
    }
    await rm(partial, { force: true })
    throw error
  }
}
