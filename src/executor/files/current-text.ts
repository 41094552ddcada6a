import { Refusal } from '../refusal.ts'
import { showName } from '../show-text.ts'
import {
  absentSha256,
  decodeText,
  maxFileBytes,
  readWholeFile,
  sha256Of,
  sha256OfFile,
} from './file-text.ts'
import type { LocatedPath } from './locate.ts'
import { openFileIfThere } from './open-checked.ts'
import { type Expected, expectedOf } from './replace-file.ts'

/** State of a file before a change. */
export interface Current {
  /** undefined if the file does not exist. */
  readonly expected: Expected | undefined
  readonly sha256: string
  /** undefined if the file is missing, binary, not UTF-8 or over 10 MiB. */
  readonly text: string | undefined
}

/**
 * Reads the file at `place`; ends the call if it is not a regular file or differs from the one the card's diff was
 * computed from.
 */
export async function readCurrent(
  place: LocatedPath,
  baseSha256: string | undefined,
): Promise<Current> {
  const current = await read(place)
  if (baseSha256 !== undefined && baseSha256 !== current.sha256) {
    throw new Refusal({ kind: 'changed', path: showName(place.given) })
  }
  return current
}

async function read(place: LocatedPath): Promise<Current> {
  const handle = await openFileIfThere(place.canonical, place.given)
  if (handle === undefined) return { expected: undefined, sha256: absentSha256, text: undefined }
  try {
    const expected = await expectedOf(handle)
    const { size } = await handle.stat()
    if (size > maxFileBytes)
      return { expected, sha256: await sha256OfFile(handle), text: undefined }
    const bytes = await readWholeFile(handle, place.given)
    return { expected, sha256: sha256Of(bytes), text: decodeText(bytes) }
  } finally {
    await handle.close()
  }
}
