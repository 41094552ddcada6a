import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { z } from 'zod'
import { CommandError } from '../../../domain/command-error.ts'
import { hasCode } from '../../../util/has-code.ts'
import { CutOff } from '../../../util/tar/byte-reader.ts'
import { type ReadEntry, readTar } from '../../../util/tar/read-tar.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'

const Table = z.object({ name: z.string().min(1), columns: z.array(z.string().min(1)).min(1) })

/** `manifest.json`, the first entry of a backup. */
export const Manifest = z.object({
  format: z.literal('countersign-backup'),
  version: z.literal(1),
  /** ISO time at which the database was read. */
  made_at: z.iso.datetime(),
  /** Version of the program that made it. */
  program: z.string(),
  /** True if nothing else used the database meanwhile. */
  quiet: z.boolean(),
  /** Migrations of the database, in order. */
  steps: z.array(z.string()),
  tables: z.array(Table),
  sequences: z.record(z.string(), z.string().regex(/^-?\d+$/)),
  audit_months: z.array(z.string().regex(/^\d{4}-\d\d-01$/)),
  /** Named workspaces with their original paths; `included` is the name below `data/named-workspaces`. */
  named_workspaces: z
    .array(z.object({ path: z.string(), included: z.string().optional() }))
    .default([]),
})

/** `end.json`, the last entry. */
export const End = z.object({
  /** Digest of every byte of the tar file before this entry, in hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  rows: z.record(z.string(), z.int().nonnegative()),
  files: z.int().nonnegative(),
})

/** Directory of the data directory with copies of workspaces named by `--workspace` or `[worker] workspace`. */
export const namedWorkspaces = 'named-workspaces'

/** Parts of the data directory that a backup may contain. */
export const dataParts = ['workers', 'workspaces', 'snapshots', 'journal', namedWorkspaces] as const

/** Backup that was read completely and is intact. */
export interface CheckedBackup {
  readonly manifest: Manifest
  readonly end: End
  /** Text of each key, by name. */
  readonly keys: Readonly<Record<string, string>>
}

/** Reads a backup completely and verifies its digest without changing anything. Throws CommandError if it is damaged. */
export async function checkBackup(file: string): Promise<CheckedBackup> {
  try {
    return await check(file)
  } catch (error) {
    const why = damageOf(error)
    if (why === undefined) throw error
    throw new CommandError(`${file} cannot be restored: ${why}. Nothing was changed.`, {
      code: 'BACKUP_INVALID',
      cause: error,
    })
  }
}

/** Reads the entries of a backup in order. */
export async function* readBackup(file: string): AsyncGenerator<ReadEntry> {
  const gunzip = createGunzip()
  const reading = pipeline(createReadStream(file), gunzip)
  // The entries end with the same error.
  reading.catch(() => undefined)
  yield* readTar(gunzip as AsyncIterable<Buffer>)
  gunzip.destroy()
}

/** Reads the content of an entry of ours, which is small, unlike workspace files. */
export async function contentOf({ content }: ReadEntry): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of content) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

async function check(file: string): Promise<CheckedBackup> {
  let manifest: Manifest | undefined
  const keys: Record<string, string> = {}
  let end: { readonly said: End; readonly found: string } | undefined
  for await (const entry of readBackup(file)) {
    const { path } = entry.entry
    if (end !== undefined) throw new Damaged('it goes on after its end')
    if (manifest === undefined) manifest = await readManifest(entry)
    else if (path === 'end.json') {
      end = { said: End.parse(tryParseJson(await contentOf(entry))), found: entry.sha256Before }
    } else if (path.startsWith('keys/')) {
      keys[path.slice('keys/'.length)] = await contentOf(entry)
    }
  }
  if (manifest === undefined) throw new Damaged('it is no backup of Countersign')
  if (end === undefined) throw new Damaged('it ends too early')
  if (end.said.sha256 !== end.found) throw new Damaged('it was changed: its digest does not match')
  return { manifest, end: end.said, keys }
}

async function readManifest(entry: ReadEntry): Promise<Manifest> {
  if (entry.entry.path !== 'manifest.json') throw new Damaged('it is no backup of Countersign')
  const value = tryParseJson(await contentOf(entry))
  const parsed = Manifest.safeParse(value)
  if (parsed.success) return parsed.data
  throw new Damaged('its manifest is of a newer version or damaged')
}

class Damaged extends Error {
  override name = 'Damaged'
}

function damageOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || hasCode(error, 'ENOENT') || hasCode(error, 'EACCES'))
    return undefined
  if (error instanceof Damaged) return error.message
  if (error instanceof CutOff || hasCode(error, 'Z_BUF_ERROR')) return 'it ends too early'
  if ('code' in error && String(error.code).startsWith('Z_')) return 'it is damaged'
  if (error.message.startsWith('it ') || error.message.startsWith('a header of it'))
    return error.message
  return error.name === 'ZodError' ? 'it is damaged' : undefined
}

export type Manifest = z.infer<typeof Manifest>

export type NamedWorkspace = Manifest['named_workspaces'][number]

export type End = z.infer<typeof End>
