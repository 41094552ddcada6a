import { lchownSync, lstatSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BoxSpec } from '../../ports/sandbox.ts'
import type { BoxMounts } from '../worker-options.ts'
import { BoxFailure } from './start-box.ts'

/**
 * Creates the workspace of a box and its visible parts with the workspace's owner, and finds masked paths. Throws
 * BoxFailure if a command replaced a folder by something else.
 */
export function prepareBox({
  findMasked,
  ...spec
}: BoxMounts & Pick<BoxSpec, 'key' | 'workspace'>): BoxSpec {
  const { workspace, workspaceParts = [] } = spec
  mkdirSync(workspace, { recursive: true })
  for (const part of workspaceParts) {
    const names = part.split('/')
    for (const depth of names.keys()) makeFolder(workspace, names.slice(0, depth + 1).join('/'))
  }
  if (findMasked === undefined) return spec
  return { ...spec, masked: [...spec.masked, ...findMasked()] }
}

function makeFolder(workspace: string, part: string): void {
  const path = join(workspace, part)
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) return
  if (found !== undefined) {
    const what = `${part} in the workspace, which commands may reach, is no folder`
    throw new BoxFailure(`The sandbox did not start: ${what}`)
  }
  mkdirSync(path)
  const { uid, gid } = statSync(workspace)
  if (process.getuid?.() === 0) lchownSync(path, uid, gid)
}
