import { createHmac, randomBytes } from 'node:crypto'
import { type BigIntStats, lstatSync, statfsSync } from 'node:fs'
import { setImmediate as otherWork } from 'node:timers/promises'
import { optionalText } from './arguments.ts'
import type { Call } from './call.ts'
import { type LocatedPath, locate, locateOptional } from './files/locate.ts'
import { openChecked } from './files/open-checked.ts'
import { createNameFilter } from './search/name-filter.ts'
import { stillSkipped, walk } from './search/walk.ts'

/**
 * Key of this process. Fingerprints leave the box, and must not reveal file names even to somebody who guesses them.
 * Another process has other fingerprints and reads again.
 */
const key = randomBytes(32)

/** File system types (Linux `statfs`) on which a file never changes without its times. */
const ordinary: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0xf2f52010, // f2fs
  0x2fc12fc1, // zfs
  0xca451a4e, // bcachefs
  0x794c7630, // overlay: layers of containers
  0x01021994, // tmpfs
])

/** File that a call reads, with its state. */
interface Seen {
  readonly path: string
  readonly stats: BigIntStats
}

/** Looks at all files of which a call's answer depends. */
export type Look = (call: Call) => Promise<readonly Seen[]>

/** Maximum number of entries; comparing a larger tree would take as long as reading it. */
const mostEntries = 10_000

/** Minimum age of a change in milliseconds; two changes in quick succession may leave the same time. */
const restlessMs = 2_000

/**
 * OUT-11: returns a fingerprint of everything that a call reads: inodes, sizes, change times. undefined if it would be
 * unreliable: too many files, unreadable ones, a change within the last two seconds, or file systems with unreported
 * changes.
 */
export async function fingerprintOf(
  call: Call,
  look: Look | undefined,
): Promise<string | undefined> {
  // What is wrong with the call is for its tool to say.
  const seen = await look?.(call).catch(() => undefined)
  if (seen === undefined || isRestless(seen) || !areOrdinary(seen)) return undefined
  return stateName(seen.map(describe))
}

function isRestless(seen: readonly Seen[]): boolean {
  const since = BigInt(Date.now() - restlessMs) * 1_000_000n
  return seen.some(({ stats }) => stats.mtimeNs > since || stats.ctimeNs > since)
}

function describe({ path, stats }: Seen): string {
  const { dev, ino, mode, nlink, size, mtimeNs, ctimeNs } = stats
  return `${path}\0${[dev, ino, mode, nlink, size, mtimeNs, ctimeNs].join(' ')}`
}

export async function lookAsRead(call: Call): Promise<readonly Seen[]> {
  return [await lookAt(await locate(call, 'path', 'read'))]
}

async function lookAt({ canonical, given }: LocatedPath): Promise<Seen> {
  const handle = await openChecked(canonical, given)
  try {
    return { path: canonical, stats: await handle.stat({ bigint: true }) }
  } finally {
    await handle.close()
  }
}

export async function lookAsGrep(call: Call): Promise<readonly Seen[]> {
  const place = await locateOptional(call, 'path', 'read')
  const glob = optionalText(call.request, 'glob')
  const root = await lookAt(place)
  if (!root.stats.isDirectory()) return [root]
  return lookBelow(call, place, glob, stillSkipped(glob ?? '', place.given))
}

/** Returns everything the tool may read below a directory, in a fixed order. Throws if there is too much. */
async function lookBelow(
  { signal }: Call,
  { canonical, access }: LocatedPath,
  glob: string | undefined,
  skipped: ReadonlySet<string>,
): Promise<readonly Seen[]> {
  const fits = glob === undefined ? () => true : createNameFilter(glob, canonical)
  let entries = 0
  const isWanted = (relative: string): boolean => {
    entries += 1
    if (entries > mostEntries) throw new RangeError('there is too much to look at')
    return fits(relative)
  }
  const found = await walk(canonical, { access, skipped, isWanted, signal })
  const paths = found.map((entry) => entry.canonical).sort()
  const seen: Seen[] = []
  for (const [index, path] of paths.entries()) {
    if (index % 500 === 499) await otherWork()
    seen.push({ path, stats: lstatSync(path, { bigint: true }) })
  }
  return seen
}

/**
 * OUT-11: true if size and times reflect every change of these files. They do not in `/proc` and `/sys`, and may not with
 * FUSE or network file systems. Checks each device once, on Linux only.
 */
function areOrdinary(
  files: readonly { readonly path: string; readonly stats: BigIntStats }[],
): boolean {
  if (process.platform !== 'linux') return true
  const places = new Map(files.map(({ path, stats }) => [stats.dev, path]))
  return [...places.values()].every(isOrdinary)
}

function isOrdinary(path: string): boolean {
  try {
    return ordinary.has(statfsSync(path).type >>> 0)
  } catch {
    return false
  }
}

/** OUT-11: returns a fingerprint of a state described by these texts. */
export function stateName(texts: Iterable<string>): string {
  const hmac = createHmac('sha256', key)
  for (const text of texts) hmac.update(text).update('\0')
  return hmac.digest('hex')
}
