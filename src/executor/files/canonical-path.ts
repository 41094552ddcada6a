import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Refusal } from '../refusal.ts'
import { showName } from '../show-text.ts'
import { errnoOf, failByErrno } from './errno.ts'

/** Limit of the kernel on links in a path; exceeded only if they are being changed. */
const maxLinks = 40

/**
 * FILE-01: resolves the links of an absolute path: the nearest existing ancestor is canonicalised and the rest appended.
 * Ends the call at a dead link, since a file created there would be elsewhere. `shown` is the path as the model wrote it.
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

/** Link to a missing target, which decides whether the call may use it. */
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
  // Follows chains of dead links.
  throw new DeadLink(shown, await canonicalPath(target, shown, links + 1))
}

/** True if `path` is `root` or below it, by whole segments (FILE-01: `/work-evil` is not inside `/work`). */
export function isWithin(path: string, root: string): boolean {
  if (!path.startsWith(root)) return false
  return path.length === root.length || root.endsWith('/') || path[root.length] === '/'
}
