import { type FileHandle, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fail, Refusal } from '../refusal.ts'
import { showName } from '../show-text.ts'
import { isWithin } from './canonical-path.ts'
import { type Copying, copyTree } from './copy-tree.ts'
import { newDraftName } from './draft-name.ts'
import { type EntryKind, kindAt, pathsBelow } from './entries.ts'
import { failByErrno } from './errno.ts'
import { assertReplaceable, type LocatedPath } from './locate.ts'
import { withMadeDirectory } from './made-directory.ts'
import { pathBeneath } from './open-checked.ts'
import { removeTree } from './remove-tree.ts'
import { Tally } from './tally.ts'

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
