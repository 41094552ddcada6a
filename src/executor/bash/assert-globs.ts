import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fold } from '../../shared/fold.ts'
import { toPathGlob } from '../../shared/glob/path-glob.ts'
import type { CallRequest } from '../call.ts'
import { canonicalPath, DeadLink } from '../files/canonical-path.ts'
import { errnoOf } from '../files/errno.ts'
import { createFileAccess, type FileAccess } from '../files/file-access.ts'
import { fail } from '../refusal.ts'
import { showName } from '../show-text.ts'

/** Files whose places are looked up for one call; a second's work. */
const maxFiles = 10_000

/**
 * SHELL-07: ends the call, nothing run, when a wildcard of the command stands for a file that rules keep from being read or
 * written, by its name or by where a link leads. Names that begin with a dot are none that a wildcard stands for.
 */
export async function assertGlobs({ globs = [], rules }: CallRequest): Promise<void> {
  if (globs.length === 0) return
  const access = await createFileAccess(rules)
  let left = maxFiles
  for (const glob of globs) {
    const names = await namesOf(glob)
    left -= names.length
    if (left < 0) refuse(glob, 'stands for more files than can be checked')
    for (const name of names) {
      const path = join(dirname(glob), name)
      if (!(await mayShow(access, path)))
        refuse(glob, `stands for ${showName(path)}, which rules keep from being read or written`)
    }
  }
}

function refuse(glob: string, why: string): never {
  fail('policy_blocked', `${showName(glob)} ${why}. Name the files that you need.`)
}

/** What stands in the wildcard's directory and matches; a class matches any character, and case does not count. */
async function namesOf(glob: string): Promise<readonly string[]> {
  const matches = toPathGlob(fold(basename(glob).replace(/\[[^\]]*\]/g, '?')), 'exact')
  const entries = await readdir(dirname(glob), { encoding: 'buffer' }).catch((error: unknown) => {
    // The shell finds nothing either.
    if (errnoOf(error) === undefined) throw error
    return []
  })
  const names = entries.map(String)
  if (names.some((name, at) => !Buffer.from(name).equals(entries[at] ?? Buffer.alloc(0))))
    refuse(glob, 'stands in a directory with names that are no text')
  return names.filter((name) => !name.startsWith('.') && (matches?.(fold(name)) ?? true))
}

/** A link that leads nowhere shows nothing. */
async function mayShow(access: FileAccess, path: string): Promise<boolean> {
  try {
    return access.mayTouch(path) && access.mayShow(await canonicalPath(path))
  } catch (error) {
    if (error instanceof DeadLink) return true
    throw error
  }
}
