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
import type { Call, CallRequest } from '../call.ts'
import { failByErrno } from '../files/errno.ts'
import { createFlags } from '../files/open-checked.ts'
import { draftPrefix } from '../files/with-draft.ts'
import { fail } from '../refusal.ts'
import { beneath, type Folder, inParent, inWorkspace, shown } from './beneath.ts'

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

type Fields = Readonly<Record<string, unknown>>

/** Returns a list of objects from the arguments. */
export function listArgument(request: CallRequest, name: string): readonly Fields[] {
  const value = request.arguments[name]
  if (!Array.isArray(value) || !value.every(isFields))
    fail('type_mismatch', `${name}: expected a list`)
  return value
}

export function textIn(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string') fail('type_mismatch', `${name}: expected string`)
  return value
}

/** Returns a non-negative whole number. */
export function numberIn(fields: Fields, name: string): number {
  const value = fields[name]
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    fail('type_mismatch', `${name}: expected a whole number, not negative`)
  }
  return value
}

function flagIn(fields: Fields, name: string): boolean {
  const value = fields[name]
  if (typeof value !== 'boolean') fail('type_mismatch', `${name}: expected boolean`)
  return value
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
