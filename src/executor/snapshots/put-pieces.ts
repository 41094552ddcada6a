import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  futimesSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import type { ExecutorOutcome } from '../../domain/tool/executor-protocol.ts'
import type { Call } from '../call.ts'
import { draftPrefix } from '../files/draft-name.ts'
import { failByErrno } from '../files/errno.ts'
import { createFlags } from '../files/open-checked.ts'
import { beneath, type Folder, inParent, inWorkspace, shown } from './beneath.ts'
import { flagIn, listArgument, numberIn, textIn } from './fields.ts'

const appendFlags =
  constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NOCTTY

/** BASH-07: restores contents, first under a temporary name; the last piece of a file moves it into place. */
export async function putPieces({ request, signal }: Call): Promise<ExecutorOutcome> {
  await inWorkspace(request.rules.workspace, async (workspace) => {
    for (const piece of listArgument(request, 'pieces')) {
      signal.throwIfAborted()
      const path = textIn(piece, 'path')
      await put(workspace, path, piece).catch((error: unknown) => failByErrno(error, shown(path)))
    }
  })
  return { kind: 'ok', output: '{}' }
}

function put(
  workspace: Folder,
  path: string,
  piece: Readonly<Record<string, unknown>>,
): Promise<void> {
  return inParent(workspace, path, (folder, name) => {
    const draft = beneath(folder, draftOf(name))
    const isFirst = numberIn(piece, 'offset') === 0
    if (isFirst) rmSync(draft, { force: true })
    const descriptor = openSync(draft, isFirst ? createFlags : appendFlags, 0o600)
    try {
      writeAll(descriptor, Buffer.from(textIn(piece, 'content'), 'base64'))
      if (!flagIn(piece, 'isLast')) return
      // Half a microsecond is added, since a fraction of seconds is not exact.
      const seconds = (numberIn(piece, 'mtimeUs') + 0.5) / 1_000_000
      futimesSync(descriptor, seconds, seconds)
      fchmodSync(descriptor, numberIn(piece, 'mode') & 0o1777)
    } finally {
      closeSync(descriptor)
    }
    renameSync(draft, beneath(folder, name))
  })
}

function writeAll(descriptor: number, bytes: Buffer): void {
  let at = 0
  while (at < bytes.length) at += writeSync(descriptor, bytes, at)
}

/** Returns the same temporary name for each piece of a file. */
function draftOf(name: string): string {
  return `${draftPrefix}${createHash('sha256').update(name).digest('hex').slice(0, 18)}`
}
