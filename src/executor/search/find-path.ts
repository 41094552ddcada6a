import type { ExecutorOutcome } from '../../domain/tool/executor-protocol.ts'
import { numberArgument, textArgument } from '../arguments.ts'
import type { Call } from '../call.ts'
import { locate } from '../files/locate.ts'
import { openDirectory } from '../files/open-checked.ts'
import { showName } from '../show-text.ts'
import { createNameFilter } from './name-filter.ts'
import { stillSkipped, walk } from './walk.ts'

const defaultResults = 200

/** The tool `find_path`. */
export async function findPath(call: Call): Promise<ExecutorOutcome> {
  const pattern = textArgument(call.request, 'pattern')
  const maxResults = numberArgument(call.request, 'max_results') ?? defaultResults
  const place = await locate(call, 'path', 'read')
  const isWanted = createNameFilter(pattern, place.canonical)
  // Says what is wrong with the directory before the walk, which passes over what it cannot open.
  await (await openDirectory(place.canonical, place.given)).close()
  const { access } = place
  const skipped = stillSkipped(pattern)
  const { signal } = call
  const entries = await walk(place.canonical, { access, skipped, isWanted, signal })
  const found = entries.map(({ relative }) => relative)
  const shown = found.sort().slice(0, maxResults).map(showName)
  if (found.length > shown.length) shown.push(`(${shown.length} of ${found.length} paths shown)`)
  return { kind: 'ok', output: shown.length === 0 ? '(nothing found)' : shown.join('\n') }
}
