import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { largerThan, maxUploadBytes } from '../../domain/upload.ts'

export type OwnFile =
  | { readonly kind: 'read'; readonly name: string; readonly content: Buffer }
  | { readonly kind: 'failed'; readonly why: string }

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read',
  EPERM: 'it may not be read',
  EISDIR: 'it is a directory',
  ENAMETOOLONG: 'the path is too long',
}

/**
 * CHAT-07: what `/upload` names, read as whoever runs the program, from where it was started. `home`: what `~/` stands for. A pipe or device is not
 * waited for. Never rejects.
 */
export async function readOwnFile(
  given: string,
  home: string | undefined,
  maxBytes = maxUploadBytes,
): Promise<OwnFile> {
  const path = resolve(
    given.startsWith('~/') && home !== undefined ? join(home, given.slice(2)) : given,
  )
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const found = await file.stat()
    if (found.isDirectory()) return { kind: 'failed', why: 'it is a directory' }
    if (!found.isFile()) return { kind: 'failed', why: 'it is not a regular file' }
    const content = Buffer.alloc(Math.min(found.size, maxBytes) + 1)
    let size = 0
    for (;;) {
      const { bytesRead } = await file.read(content, size, content.length - size)
      size += bytesRead
      if (bytesRead === 0 || size === content.length) break
    }
    if (size > maxBytes) return { kind: 'failed', why: `it is ${largerThan(maxBytes)}` }
    return { kind: 'read', name: basename(path), content: content.subarray(0, size) }
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
    return { kind: 'failed', why: reasons[String(code)] ?? `it cannot be read (${String(code)})` }
  }
}
