import { posix } from 'node:path'
import type { FileRules } from '../../domain/tool/file-rules.ts'
import { canonicalPath } from '../files/canonical-path.ts'
import { Refusal } from '../refusal.ts'
import { bytewise } from './beneath.ts'

/** Folder with the output of background commands, which keeps being written. */
const jobs = '.jobs'

/** GATE-12: paths that snapshots leave unchanged: masked ones, and logs of background commands. */
export interface Masked {
  /** True if the path itself is masked. */
  has(path: string): boolean
  /** True if the path or something below it is masked. */
  holds(path: string): boolean
}

/** Returns the masked paths, by the given and the canonical name of the workspace. */
export async function maskedIn({
  workspace,
  masked,
}: Pick<FileRules, 'workspace' | 'masked'>): Promise<Masked> {
  const top = await withoutLinks(workspace)
  const canonical = await Promise.all(masked.map(withoutLinks))
  const paths = [
    ...masked.map((path) => posix.relative(workspace, path)),
    ...canonical.map((path) => posix.relative(top, path)),
  ]
    .filter((path) => path !== '' && path !== '..' && !path.startsWith('../'))
    .map(bytewise)
  const all = [...paths, jobs]
  const own = new Set(all)
  return {
    has: (path) => own.has(path),
    holds: (path) => all.some((one) => one === path || one.startsWith(`${path}/`)),
  }
}

async function withoutLinks(path: string): Promise<string> {
  return canonicalPath(path).catch((error: unknown) => {
    if (error instanceof Refusal) return path
    throw error
  })
}
