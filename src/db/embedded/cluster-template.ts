import { randomBytes, randomFillSync } from 'node:crypto'
import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants as zstd, zstdCompress, zstdDecompress } from 'node:zlib'
import { z } from 'zod'
import type { Account } from './copy-database.ts'

/** What a template was made for: a database of another machine or PostgreSQL must not be unpacked here. */
interface Kind {
  readonly platform: string
  readonly arch: string
  /** As `postgres -V` says it. */
  readonly version: string
}

const header = z.strictObject({
  platform: z.string(),
  arch: z.string(),
  version: z.string(),
  folders: z.array(z.string()),
  files: z.array(z.strictObject({ path: z.string(), bytes: z.number().int().nonnegative() })),
})

/** Packs a stopped server's directory. The form: a line of JSON (`header`), then the content of all files, compressed by zstd. */
export async function packCluster(directory: string, kind: Kind): Promise<Buffer> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const named = entries
    .map((entry) => ({
      path: join(entry.parentPath, entry.name).slice(directory.length + 1),
      isFolder: entry.isDirectory(),
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  const folders = named.filter(({ isFolder }) => isFolder).map(({ path }) => path)
  const contents: Buffer[] = []
  const files: z.infer<typeof header>['files'] = []
  for (const { path, isFolder } of named) {
    if (isFolder) continue
    const content = await readFile(join(directory, path))
    contents.push(content)
    files.push({ path, bytes: content.length })
  }
  const line = `${JSON.stringify({ ...kind, folders, files })}\n`
  // The databases of a server have much in common, megabytes apart: a window of 32 MB sees it.
  const params = { [zstd.ZSTD_c_compressionLevel]: 9, [zstd.ZSTD_c_windowLog]: 25 }
  return promisify(zstdCompress)(Buffer.concat([Buffer.from(line), ...contents]), { params })
}

/** More than a template holds: it is unpacked in one piece, as joining thousands of small ones takes longer than all else. */
const atOnce = 64 * 1024 * 1024

/**
 * Unpacks a template into an empty directory, which becomes the database of a server that is like no other: it has a system
 * identifier of its own. False if it was made for another `kind`.
 */
export async function unpackCluster(
  file: string,
  directory: string,
  { account, ...kind }: Kind & { readonly account: Account | undefined },
): Promise<boolean> {
  const all = await promisify(zstdDecompress)(await readFile(file), { chunkSize: atOnce })
  const end = all.indexOf('\n')
  const { folders, files, ...madeFor } = header.parse(JSON.parse(all.toString('utf8', 0, end)))
  if (!isSame(madeFor, kind)) return false
  const contents = slices(all.subarray(end + 1), files)
  giveOwnIdentifier(contents)
  // Synchronously: a third of the processor time, and nothing else is served yet.
  const give = (path: string) => account && chownSync(path, account.uid, account.gid)
  for (const folder of folders) {
    mkdirSync(join(directory, folder), { mode: 0o700 })
    give(join(directory, folder))
  }
  for (const [path, content] of contents) {
    writeFileSync(join(directory, path), content, { mode: 0o600, flag: 'wx' })
    give(join(directory, path))
  }
  return true
}

function isSame(one: Kind, other: Kind): boolean {
  return one.platform === other.platform && one.arch === other.arch && one.version === other.version
}

function slices(
  all: Buffer,
  files: readonly { readonly path: string; readonly bytes: number }[],
): Map<string, Buffer> {
  const contents = new Map<string, Buffer>()
  let at = 0
  for (const { path, bytes } of files) {
    contents.set(path, all.subarray(at, at + bytes))
    at += bytes
  }
  if (at !== all.length) throw new Error('the template of the database is incomplete')
  return contents
}

const nonceBytes = 32

/** Where a segment of the log has the identifier: in its first page's long header (PostgreSQL's xlog_internal.h). */
const identifierInSegment = 24

/**
 * Replaces the system identifier, by which PostgreSQL and tools for backups tell servers apart, in the control file and in the
 * segments of the log, as initdb would choose it: the time in the upper half.
 */
function giveOwnIdentifier(contents: ReadonlyMap<string, Buffer>): void {
  const control = contents.get('global/pg_control')
  if (control === undefined) throw new Error('the template of the database has no control file')
  const checksumAt = checksumIn(control)
  const former = control.readBigUInt64LE(0)
  const seconds = BigInt(Math.floor(Date.now() / 1_000))
  const own = (seconds << 32n) | BigInt(randomBytes(4).readUInt32LE())
  control.writeBigUInt64LE(own, 0)
  // Before the checksum: what answers logins by password of unknown users.
  randomFillSync(control, checksumAt - nonceBytes, nonceBytes)
  control.writeUInt32LE(crc32c(control.subarray(0, checksumAt)), checksumAt)
  for (const [path, content] of contents) {
    if (!/^pg_wal\/[0-9A-F]{24}$/.test(path)) continue
    if (content.readBigUInt64LE(identifierInSegment) !== former)
      throw new Error(`the template of the database has a segment of another server: ${path}`)
    content.writeBigUInt64LE(own, identifierInSegment)
  }
}

/** The checksum ends the fields of the control file (pg_control.h); where, differs between versions. */
function checksumIn(control: Buffer): number {
  for (let at = 64; at < 512; at += 4)
    if (control.readUInt32LE(at) === crc32c(control.subarray(0, at))) return at
  throw new Error('the control file of the template has no checksum')
}

/** CRC-32C (Castagnoli), which Node does not have; slow, for some hundred bytes. */
function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
