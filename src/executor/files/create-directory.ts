import type { ExecutorOutcome } from '../../domain/executor-protocol.ts'
import type { Call } from '../call.ts'
import { fail } from '../refusal.ts'
import { showName } from '../show-text.ts'
import { assertAccess } from './file-access.ts'
import { locate } from './locate.ts'
import { openMadeDirectory, pathOfHandle } from './open-checked.ts'

/** The tool `create_directory`: a directory with its parents; one that exists is a success. */
export async function createDirectory(call: Call): Promise<ExecutorOutcome> {
  const place = await locate(call, 'path', 'write')
  const shown = showName(place.given)
  const handle = await openMadeDirectory(place.canonical, place.given)
  try {
    const real = await pathOfHandle(handle, place.canonical)
    assertAccess(place.access, real, 'write', place.given)
    if (real !== place.canonical) fail('permanent_failure', `${shown} was moved meanwhile`)
    return { kind: 'ok', output: `Created ${shown}` }
  } finally {
    await handle.close()
  }
}
