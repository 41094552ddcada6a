import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { ExecutorOutcome } from '../../domain/tool/executor-protocol.ts'
import type { ProgramFile } from '../../domain/tool/file-rules.ts'
import type { CallRequest } from '../call.ts'
import { sha256OfFile } from '../files/current-text.ts'
import { errnoOf } from '../files/errno.ts'
import { fail, Refusal } from '../refusal.ts'
import { showName } from '../show-text.ts'

/** Largest file that is hashed, in bytes; about two seconds' work. */
const maxBytes = 1024 * 1024 * 1024

/** APPR-24: reports the files of a command's programs for its card. Runs nothing. */
export async function previewPrograms({ programs = [] }: CallRequest): Promise<ExecutorOutcome> {
  if (programs.length === 0) fail('invalid_parameters', 'bash: there is nothing to look at')
  return { kind: 'programs', files: await lookAt(programs) }
}

/** APPR-24: ends the call if a file that it executes differs from the approved one. */
export async function assertUnchangedPrograms(request: CallRequest): Promise<void> {
  const { programs = [], baseSha256 } = request
  if (programs.length === 0 || baseSha256 === undefined) return
  if (digestOf(await lookAt(programs)) === baseSha256) return
  throw new Refusal({ kind: 'changed', path: showName(programs[0] ?? '') })
}

async function lookAt(programs: readonly string[]): Promise<readonly ProgramFile[]> {
  const files: ProgramFile[] = []
  for (const path of programs) files.push(await lookAtOne(path))
  return files
}

async function lookAtOne(path: string): Promise<ProgramFile> {
  try {
    // Non-blocking, in case a pipe is there.
    await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    return await describe(handle)
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === undefined) throw error
    return { kind: errno === 'ENOENT' || errno === 'ENOTDIR' ? 'absent' : 'unread' }
  }
}

async function describe(handle: FileHandle): Promise<ProgramFile> {
  const found = await handle.stat()
  if (!found.isFile()) return { kind: 'absent' }
  if (found.size > maxBytes) return { kind: 'unread' }
  return { kind: 'file', bytes: found.size, sha256: await sha256OfFile(handle) }
}

/** Computed like `programsDigest` on the agent's side. */
function digestOf(files: readonly ProgramFile[]): string {
  const lines = files.map((file) => (file.kind === 'file' ? file.sha256 : file.kind))
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}
