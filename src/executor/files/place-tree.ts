import { type FileHandle, rename, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Call } from '../call.ts'
import { fail, Refusal } from '../refusal.ts'
import { showName } from '../show-text.ts'
import { isWithin } from './canonical-path.ts'
import { type Copying, copyTree } from './copy-tree.ts'
import { type EntryKind, kindAt, pathsBelow, readEntries } from './entries.ts'
import { failByErrno } from './errno.ts'
import { assertReplaceable, type LocatedPath } from './locate.ts'
import { pathBeneath, withDirectory } from './open-checked.ts'
import { OrdersFinder } from './orders-finder.ts'
import { withMadeDirectory } from './replace-file.ts'
import { Tally } from './tally.ts'
import { newDraftName } from './with-draft.ts'

/**
 * Checks a move or copy: the source exists, and the destination does not and is not inside the source. Returns the
 * source's kind.
 */
export async function assertMovable(
  source: LocatedPath,
  destination: LocatedPath,
): Promise<EntryKind> {
  assertReplaceable(destination)
  const kind = await kindAt(source.canonical)
  if (kind === undefined) {
    fail('permanent_failure', `${showName(source.given)}: no such file or directory`)
  }
  if (isWithin(destination.canonical, source.canonical)) {
    fail('invalid_parameters', `${showName(destination.given)} lies inside the source itself`)
  }
  await assertFree(destination, destination.canonical)
  return kind
}

/** Ends the call if `isFine` returns false for anything below the source directory; `there` is its future path. */
export async function assertBelow(
  source: LocatedPath,
  destination: LocatedPath,
  isFine: (path: string, there: string) => boolean,
  signal: AbortSignal,
): Promise<void> {
  for await (const path of pathsBelow(source.canonical, signal)) {
    const there = join(destination.canonical, path.slice(source.canonical.length))
    if (isFine(path, there)) continue
    fail(
      'policy_blocked',
      `${showName(source.given)} holds what may not be read or is denied by a rule`,
    )
  }
}

/** SHELL-11: sends the call back to the gate if the source directory brings files of orders to the destination. */
export async function assertNoOrders(
  call: Call,
  source: LocatedPath,
  destination: LocatedPath,
): Promise<void> {
  const orders = new OrdersFinder(call, source.access)
  // The gate evaluated its own name.
  if (orders.isOrders(destination.canonical, true)) return
  await orders.addBelow(source.canonical, [destination.canonical], {
    isTaken: source.access.mayShow,
    looksBehindLinks: false,
  })
  orders.assertJudged([source.canonical, destination.canonical])
}

/** Ends the call if the source itself may not be shown. */
export function assertShowable({ access, canonical, given }: LocatedPath): void {
  if (!access.mayShow(canonical)) fail('policy_blocked', `${showName(given)} may not be read`)
}

/** Runs `work` with a verified handle of the destination's parent; missing parents are created. */
export function withParentOf<T>(
  place: LocatedPath,
  work: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  return withMadeDirectory(dirname(place.canonical), place, work)
}

/** Copies to a temporary name and renames, so that the destination appears complete or not at all. */
export async function copyInto(
  source: LocatedPath,
  destination: LocatedPath,
  copying: Copying,
): Promise<void> {
  await withParentOf(destination, async (handle) => {
    const directory = dirname(destination.canonical)
    const draft = newDraftName()
    try {
      await copyTree(source.canonical, join(directory, draft), copying)
      const target = pathBeneath(handle, directory, basename(destination.canonical))
      await assertFree(destination, target)
      await rename(pathBeneath(handle, directory, draft), target)
    } catch (error) {
      const ended = { signal: new AbortController().signal, tally: new Tally() }
      await removeTree(join(directory, draft), ended).catch(() => undefined)
      if (error instanceof Refusal) throw error
      failByErrno(error, source.given)
    }
  })
}

/** Ends the call if the destination exists at `path`, since nothing is replaced. */
export async function assertFree(destination: LocatedPath, path: string): Promise<void> {
  const kind = await kindAt(path)
  if (kind === undefined) return
  const hint = kind === 'directory' ? '; name the new path inside it' : ''
  fail('permanent_failure', `${showName(destination.given)} exists already${hint}`)
}

interface Removal {
  readonly signal: AbortSignal
  /** Updated during the removal, so that it is correct after a failure. */
  readonly tally: Tally
}

/**
 * Removes the entry at `canonical` and everything below it. Directories are opened by verified handles and entries
 * removed below them, so that inserted links are never followed (FILE-03, FILE-05).
 */
export async function removeTree(canonical: string, removal: Removal): Promise<void> {
  await withDirectory(dirname(canonical), async (handle) => {
    const path = pathBeneath(handle, dirname(canonical), basename(canonical))
    const kind = await kindAt(path)
    if (kind === undefined) return
    await removeOne(handle, { canonical, kind }, removal)
  })
}

interface OpenDirectory {
  readonly canonical: string
  readonly kind: EntryKind
}

/** Removes one entry; `parent` is the handle of its directory. */
async function removeOne(parent: FileHandle, at: OpenDirectory, removal: Removal): Promise<void> {
  removal.signal.throwIfAborted()
  const { canonical, kind } = at
  const path = pathBeneath(parent, dirname(canonical), basename(canonical))
  if (kind === 'directory') {
    await removeContents(canonical, removal)
    await rmdir(path)
  } else await unlink(path)
  removal.tally.add(kind)
}

async function removeContents(canonical: string, removal: Removal): Promise<void> {
  await withDirectory(canonical, async (handle) => {
    for (const { name, kind } of await readEntries(handle, canonical)) {
      await removeOne(handle, { canonical: join(canonical, name), kind }, removal)
    }
  })
}
