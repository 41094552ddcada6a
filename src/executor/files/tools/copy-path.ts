import type { ExecutorOutcome } from '../../../domain/tool/executor-protocol.ts'
import type { Call } from '../../call.ts'
import { fail } from '../../refusal.ts'
import { showName } from '../../show-text.ts'
import { locateEntries } from '../locate.ts'
import { assertBelow, assertPlaces, assertShowable, copyInto } from '../place-tree.ts'
import { Tally } from '../tally.ts'

/** The tool `copy_path` (FILE-04): links as links; of a directory, what may not be read is left out, and said so. */
export async function copyPath(call: Call): Promise<ExecutorOutcome> {
  const [source, destination] = await locateEntries(call, [
    { name: 'source', uses: ['read'] },
    { name: 'destination', uses: ['write'] },
  ])
  if (source === undefined || destination === undefined) throw new Error('no places')
  const { access } = source
  const kind = await assertPlaces(source, destination)
  if (kind === 'other') {
    fail('permanent_failure', `${showName(source.given)} is no file, directory or link`)
  }
  assertShowable(source)
  const { signal } = call
  const isFine = (path: string, there: string): boolean =>
    !access.mayShow(path) || access.mayTouch(there)
  if (kind === 'directory') await assertBelow(source, destination, isFine, signal)
  const copied = new Tally()
  const leftOut = new Tally()
  const mayCopy = (canonical: string): boolean => access.mayShow(canonical)
  await copyInto(source, destination, { signal, copied, leftOut, mayCopy })
  const missing =
    leftOut.total === 0 ? '' : `; left out, as it may not be read or copied: ${leftOut}`
  const output = `Copied ${showName(source.given)} to ${showName(destination.given)} (${copied}${missing})`
  return { kind: 'ok', output }
}
