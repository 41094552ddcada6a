import type { ExecutorOutcome } from '../../../domain/tool/executor-protocol.ts'
import { flagArgument } from '../../arguments.ts'
import type { Call } from '../../call.ts'
import { fail, Refusal } from '../../refusal.ts'
import { showName } from '../../show-text.ts'
import { kindAt, pathsBelow, readEntries } from '../entries.ts'
import { failByErrno } from '../errno.ts'
import { assertReplaceable, type LocatedPath, locateEntries } from '../locate.ts'
import { withDirectory } from '../open-checked.ts'
import { removeTree } from '../place-tree.ts'
import { Tally } from '../tally.ts'

/**
 * Implements the tool `delete_path` (FILE-05): deletes an entry, a directory with its contents, or a link itself, never
 * its target.
 */
export async function deletePath(call: Call): Promise<ExecutorOutcome> {
  const isRecursive = flagArgument(call.request, 'recursive') ?? true
  const [place] = await locateEntries(call, [{ name: 'path', uses: ['write'] }])
  if (place === undefined) throw new Error('no place')
  assertReplaceable(place)
  const shown = showName(place.given)
  const kind = await kindAt(place.canonical)
  if (kind === undefined) fail('permanent_failure', `${shown}: no such file or directory`)
  if (kind === 'directory') await assertRemovable(place, isRecursive, call.signal)
  const tally = new Tally()
  try {
    await removeTree(place.canonical, { signal: call.signal, tally })
  } catch (error) {
    failAfter(tally, error, place)
  }
  return { kind: 'ok', output: `Deleted ${shown} (${tally})` }
}

/** Checks the rules for everything below before anything is deleted. */
async function assertRemovable(
  { canonical, given, access }: LocatedPath,
  isRecursive: boolean,
  signal: AbortSignal,
): Promise<void> {
  const shown = showName(given)
  if (!isRecursive) {
    const entries = await withDirectory(canonical, (handle) => readEntries(handle, canonical))
    if (entries.length > 0) fail('permanent_failure', `${shown}: the directory is not empty`)
  }
  for await (const path of pathsBelow(canonical, signal)) {
    if (!access.mayTouch(path)) fail('policy_blocked', `${shown} holds what a rule denies`)
  }
}

/** Reports how much was deleted before a failure. */
function failAfter(tally: Tally, error: unknown, { given }: LocatedPath): never {
  try {
    failByErrno(error, given)
  } catch (failure) {
    if (tally.total === 0 || !(failure instanceof Refusal)) throw failure
    const { outcome } = failure
    if (outcome.kind !== 'error') throw failure
    const { category, message } = outcome.error
    fail(category, `${message}; before that were deleted: ${tally}`)
  }
}
