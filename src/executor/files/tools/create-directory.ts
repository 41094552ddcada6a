import type { ExecutorOutcome } from '../../../domain/tool/executor-protocol.ts'
import type { Call } from '../../call.ts'
import { showName } from '../../show-text.ts'
import { locate } from '../locate.ts'
import { withMadeDirectory } from '../made-directory.ts'

/** The tool `create_directory`: a directory with its parents; one that exists is a success. */
export async function createDirectory(call: Call): Promise<ExecutorOutcome> {
  const place = await locate(call, 'path', 'write')
  const shown = showName(place.given)
  await withMadeDirectory(place.canonical, place, async () => undefined)
  return { kind: 'ok', output: `Created ${shown}` }
}
