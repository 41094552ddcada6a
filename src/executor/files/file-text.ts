import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { fail } from '../refusal.ts'
import { showName } from '../show-text.ts'

/** Largest file that is read into memory, in bytes. */
export const maxFileBytes = 10 * 1024 * 1024
const binaryProbeBytes = 8192

/** SHA-256 of a missing file, which is that of empty content. */
export const absentSha256 = createHash('sha256').digest('hex')

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Reads a file of at most 10 MiB; ends the call at a larger one. */
export async function readWholeFile(handle: FileHandle, shown: string): Promise<Buffer> {
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
export function decodeText(bytes: Buffer): string | undefined {
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
