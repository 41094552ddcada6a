import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Refusal } from '../refusal.ts'
import { showName } from '../show-text.ts'
import { errnoOf, failByErrno } from './errno.ts'

/**
 * FILE-01: `path` (absolute) without links: its nearest existing ancestor made canonical and the rest put back. Ends
 * the call on a link that leads nowhere, for what is created there later would be somewhere else.
 */
export async function canonicalPath(path: string): Promise<string> {
  const rest: string[] = []
  for (let current = path; ; current = dirname(current)) {
    try {
      return join(await realpath(current), ...rest)
    } catch (error) {
      const code = errnoOf(error)
      if (code !== 'ENOENT' && code !== 'ENOTDIR') failByErrno(error, path)
      if (current === dirname(current)) failByErrno(error, path)
      await assertNoDeadLink(current)
      rest.unshift(basename(current))
    }
  }
}

/** A link to nothing. Where it would lead tells whether that place may be used at all. */
export class DeadLink extends Refusal {
  readonly target: string

  constructor(path: string, target: string) {
    const message = `${showName(path)}: is a link that leads nowhere`
    super({ kind: 'error', error: { category: 'permanent_failure', message } })
    this.target = target
  }
}

async function assertNoDeadLink(path: string): Promise<void> {
  const text = await readlink(path).catch(() => undefined)
  if (text === undefined) return
  const parent = await realpath(dirname(path)).catch(() => dirname(path))
  throw new DeadLink(path, resolve(parent, text))
}

/** Whether `path` is `root` or lies below it, by whole names (FILE-01: `/work-evil` is not inside `/work`). */
export function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`)
}
