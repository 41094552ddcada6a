import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Refusal } from '../refusal.ts'
import { showName } from '../show-text.ts'
import { errnoOf, failByErrno } from './errno.ts'

/** As many as the kernel follows; more only where somebody changes them meanwhile. */
const maxLinks = 40

/**
 * FILE-01: `path` (absolute) without links: its nearest existing ancestor made canonical and the rest put back. Ends
 * the call on a link that leads nowhere, for what is created there later would be somewhere else. `shown` is what the model
 * named.
 */
export async function canonicalPath(path: string, shown = path, links = 0): Promise<string> {
  const rest: string[] = []
  for (let current = path; ; current = dirname(current)) {
    try {
      return join(await realpath(current), ...rest)
    } catch (error) {
      const code = errnoOf(error)
      if (code !== 'ENOENT' && code !== 'ENOTDIR') failByErrno(error, shown)
      if (current === dirname(current)) failByErrno(error, shown)
      await assertNoDeadLink(current, shown, links)
      rest.unshift(basename(current))
    }
  }
}

/** A link to nothing. Where it would lead tells whether that place may be used at all. */
export class DeadLink extends Refusal {
  readonly target: string

  constructor(shown: string, target: string) {
    const message = `${showName(shown)}: is a link that leads nowhere`
    super({ kind: 'error', error: { category: 'permanent_failure', message } })
    this.target = target
  }
}

async function assertNoDeadLink(path: string, shown: string, links: number): Promise<void> {
  const text = await readlink(path).catch(() => undefined)
  if (text === undefined) return
  const parent = await realpath(dirname(path)).catch(() => dirname(path))
  const target = resolve(parent, text)
  if (links >= maxLinks) throw new DeadLink(shown, target)
  // One that leads to another such link is where that one leads.
  throw new DeadLink(shown, await canonicalPath(target, shown, links + 1))
}

/** Whether `path` is `root` or lies below it, by whole names (FILE-01: `/work-evil` is not inside `/work`). */
export function isWithin(path: string, root: string): boolean {
  if (!path.startsWith(root)) return false
  return path.length === root.length || root.endsWith('/') || path[root.length] === '/'
}
