import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { fail, Refusal } from '../refusal.ts'
import { showName } from '../show-text.ts'
import type { LocatedPath } from './locate.ts'
import { openFileIfThere } from './open-checked.ts'
import { type Expected, expectedOf } from './replace-file.ts'

/** Largest file that is read into memory, in bytes. */
export const maxFileBytes = 10 * 1024 * 1024

const binaryProbeBytes = 8192

/** SHA-256 of a missing file, which is that of empty content. */
const absentSha256 = createHash('sha256').digest('hex')

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

function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Reads a file of at most 10 MiB; ends the call at a larger one. */
async function readWholeFile(handle: FileHandle, shown: string): Promise<Buffer> {
  const { size } = await handle.stat()
  const bytes = size > maxFileBytes ? undefined : await readAtMost(handle, maxFileBytes + 1)
  if (bytes === undefined || bytes.length > maxFileBytes) {
    fail('permanent_failure', `${showName(shown)} is larger than ${maxFileBytes / 1024 / 1024} MiB`)
  }
  return bytes
}

/** Computes the SHA-256 of a file in constant memory. */
export async function sha256OfFile(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  const chunk = Buffer.alloc(256 * 1024)
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, at)
    if (bytesRead === 0) return hash.digest('hex')
    hash.update(chunk.subarray(0, bytesRead))
    at += bytesRead
  }
}

/** Decodes UTF-8, keeping a byte order mark; undefined for other encodings and binary data. */
function decodeText(bytes: Buffer): string | undefined {
  if (isBinary(bytes)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** True if the first 8 KiB contain a NUL. */
export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, binaryProbeBytes).includes(0)
}

async function readAtMost(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let total = 0
  while (total < maxBytes) {
    const part = Buffer.alloc(Math.min(256 * 1024, maxBytes - total))
    const { bytesRead } = await handle.read(part, 0, part.length, total)
    if (bytesRead === 0) break
    parts.push(part.subarray(0, bytesRead))
    total += bytesRead
  }
  return Buffer.concat(parts)
}
