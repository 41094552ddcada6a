import { type BigIntStats, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import type { FileFacts, TreeEntry } from '../../domain/workspace-tree.ts'
import { errnoOf } from '../files/errno.ts'
import { beneath, type Folder, folderPath } from './beneath.ts'

/** Returns the names in a folder in a fixed order. */
export function namesOf(folder: Folder): string[] {
  return readdirSync(folderPath(folder), { encoding: 'buffer' })
    .map((name) => name.toString('latin1'))
    .sort()
}

/** Reads an entry without following links; undefined if there is none. `path` is relative to the workspace. */
export function entryAt(folder: Folder, name: string, path: string): TreeEntry | undefined {
  const at = beneath(folder, name)
  const found = lookAt(at)
  if (found === undefined) return undefined
  if (found.isDirectory()) return { kind: 'directory', path, mode: modeOf(found) }
  if (found.isFile()) return { kind: 'file', path, ...factsOf(found) }
  if (!found.isSymbolicLink()) return { kind: 'other', path }
  return { kind: 'link', path, target: readlinkSync(at, { encoding: 'buffer' }).toString('latin1') }
}

export function factsOf(found: BigIntStats): FileFacts {
  const { ino, size, mtimeNs, ctimeNs } = found
  return {
    mode: modeOf(found),
    size: Number(size),
    mtimeUs: Number(mtimeNs / 1_000n),
    stamp: `${ino}.${size}.${mtimeNs}.${ctimeNs}`,
  }
}

function lookAt(path: Buffer): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true })
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Drops the setuid bits, which no call may leave on a file (THREAT-31). */
function modeOf(found: BigIntStats): number {
  return Number(found.mode) & (found.isDirectory() ? 0o3777 : 0o1777)
}
