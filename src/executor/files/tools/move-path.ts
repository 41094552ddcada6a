import { rename } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { ExecutorOutcome } from '../../../domain/tool/executor-protocol.ts'
import type { Call } from '../../call.ts'
import { fail } from '../../refusal.ts'
import { showName } from '../../show-text.ts'
import { errnoOf, failByErrno } from '../errno.ts'
import { assertReplaceable, type LocatedPath, locateEntries } from '../locate.ts'
import { pathBeneath, withDirectory } from '../open-checked.ts'
import {
  assertBelow,
  assertFree,
  assertMovable,
  assertNoOrders,
  assertShowable,
  copyInto,
  removeTree,
  withParentOf,
} from '../place-tree.ts'
import { Tally } from '../tally.ts'

/** Implements the tool `move_path`: a rename, or across file systems a copy followed by a deletion. */
export async function movePath(call: Call): Promise<ExecutorOutcome> {
  const [source, destination] = await locateEntries(call, [
    { name: 'source', uses: ['read', 'write'] },
    { name: 'destination', uses: ['write'] },
  ])
  if (source === undefined || destination === undefined) throw new Error('no places')
  assertReplaceable(source)
  const kind = await assertMovable(source, destination)
  // A moved file can be read at its destination, whatever rules said of its source.
  assertShowable(source)
  const { access } = source
  const isFine = (path: string, there: string): boolean =>
    access.mayShow(path) && access.mayTouch(there)
  if (kind === 'directory') {
    await assertBelow(source, destination, isFine, call.signal)
    await assertNoOrders(call, source, destination)
  }
  if (!(await tryRename(source, destination))) await moveAcross(source, destination, call.signal)
  const output = `Moved ${showName(source.given)} to ${showName(destination.given)}`
  return { kind: 'ok', output }
}

/** Renames; false if the paths are on different file systems. */
async function tryRename(source: LocatedPath, destination: LocatedPath): Promise<boolean> {
  const from = dirname(source.canonical)
  const to = dirname(destination.canonical)
  return withDirectory(from, (handle) =>
    withParentOf(destination, async (parent) => {
      const target = pathBeneath(parent, to, basename(destination.canonical))
      await assertFree(destination, target)
      try {
        await rename(pathBeneath(handle, from, basename(source.canonical)), target)
        return true
      } catch (error) {
        if (errnoOf(error) === 'EXDEV') return false
        return failByErrno(error, source.given)
      }
    }),
  )
}

/** Deletes the source only after all of it was copied. */
async function moveAcross(
  source: LocatedPath,
  destination: LocatedPath,
  signal: AbortSignal,
): Promise<void> {
  const leftOut = new Tally()
  const mayCopy = (canonical: string): boolean => {
    if (source.access.mayShow(canonical)) return true
    return fail('policy_blocked', `${showName(source.given)} holds what may not be read`)
  }
  await copyInto(source, destination, { signal, copied: new Tally(), leftOut, mayCopy })
  const tally = new Tally()
  if (leftOut.total > 0) {
    await removeTree(destination.canonical, { signal, tally })
    fail(
      'permanent_failure',
      `${showName(source.given)} holds what only one file system can hold: ${leftOut}`,
    )
  }
  try {
    await removeTree(source.canonical, { signal, tally })
  } catch (error) {
    failByErrno(error, source.given)
  }
}
