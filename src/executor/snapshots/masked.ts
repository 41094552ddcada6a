import { posix } from 'node:path'
import type { FileRules } from '../../domain/file-rules.ts'
import { bytewise } from './beneath.ts'

/** GATE-12: what no tool may touch stays as it is. */
export interface Masked {
  /** Whether the path itself is masked. */
  has(path: string): boolean
  /** Whether the path, or something below it, is. */
  holds(path: string): boolean
}

export function maskedIn({ workspace, masked }: Pick<FileRules, 'workspace' | 'masked'>): Masked {
  const paths = masked
    .map((path) => posix.relative(workspace, path))
    .filter((path) => path !== '' && path !== '..' && !path.startsWith('../'))
    .map(bytewise)
  const own = new Set(paths)
  return {
    has: (path) => own.has(path),
    holds: (path) => paths.some((one) => one === path || one.startsWith(`${path}/`)),
  }
}
