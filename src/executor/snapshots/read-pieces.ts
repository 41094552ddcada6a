import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { ExecutorOutcome } from '../../domain/tool/executor-protocol.ts'
import type { FilePiece } from '../../domain/workspace-tree.ts'
import { numberArgument } from '../arguments.ts'
import type { Call } from '../call.ts'
import { errnoOf, failByErrno } from '../files/errno.ts'
import { beneath, type Folder, inParent, inWorkspace, readFlags, shown } from './beneath.ts'
import { listArgument, numberIn, textIn } from './put-pieces.ts'
import { factsOf } from './survey.ts'

/** Requested file that no longer exists. */
interface Missing {
  readonly path: string
  readonly isGone: true
}

/** BASH-07: returns contents of files in the requested order, up to `maxBytes`; the rest is requested again. */
export async function readPieces(call: Call): Promise<ExecutorOutcome> {
  const { request, signal } = call
  let left = numberArgument(request, 'maxBytes') ?? 0
  const pieces: (FilePiece | Missing)[] = []
  await inWorkspace(request.rules.workspace, async (workspace) => {
    for (const wanted of listArgument(request, 'files')) {
      signal.throwIfAborted()
      if (left <= 0) break
      const piece = await readPiece(
        workspace,
        textIn(wanted, 'path'),
        numberIn(wanted, 'offset'),
        left,
      )
      pieces.push(piece)
      if (!('isGone' in piece)) left -= (piece.content.length / 4) * 3
    }
  })
  return { kind: 'ok', output: JSON.stringify({ pieces }) }
}

async function readPiece(
  workspace: Folder,
  path: string,
  offset: number,
  most: number,
): Promise<FilePiece | Missing> {
  try {
    return await inParent(workspace, path, (folder, name) => {
      const descriptor = openSync(beneath(folder, name), readFlags)
      try {
        return readFrom(descriptor, path, offset, most)
      } finally {
        closeSync(descriptor)
      }
    })
  } catch (error) {
    const code = errnoOf(error)
    // A link, or below something that is no longer a directory.
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENOTDIR' || code === 'ENXIO') {
      return { path, isGone: true }
    }
    return failByErrno(error, shown(path))
  }
}

function readFrom(
  descriptor: number,
  path: string,
  offset: number,
  most: number,
): FilePiece | Missing {
  const found = fstatSync(descriptor, { bigint: true })
  if (!found.isFile()) return { path, isGone: true }
  const facts = factsOf(found)
  const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(most, facts.size - offset)))
  const read = readSync(descriptor, bytes, 0, bytes.length, offset)
  const isLast = read < bytes.length || offset + read >= facts.size
  return { path, ...facts, offset, content: bytes.toString('base64', 0, read), isLast }
}
