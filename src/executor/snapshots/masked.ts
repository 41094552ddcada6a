import { posix } from 'node:path'
import type { FileRules } from '../../domain/tool/file-rules.ts'
import { canonicalPath } from '../files/canonical-path.ts'
import { Refusal } from '../refusal.ts'
import { bytewise } from './beneath.ts'

/** The output of what runs in the background, which must go on. */
const jobs = '.jobs'

/** GATE-12: what no tool may touch stays as it is, and what is written for what runs on. */
export interface Masked {
  /** Whether the path itself is masked. */
  has(path: string): boolean
  /** Whether the path, or something below it, is. */
  holds(path: string): boolean
}

/** What is masked may be called by another name than the workspace is: both count, the given one and the one without links. */
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
