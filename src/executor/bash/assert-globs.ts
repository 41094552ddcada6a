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

/** Maximum number of files checked for one call, about one second's work. */
export const maxFiles = 10_000

/**
 * SHELL-07: ends the call before anything runs if a wildcard of the command matches a file that rules deny, by name or
 * through a link. Wildcards do not match names that begin with a dot.
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

/** Returns matching names in the wildcard's directory. A character class matches any character, and case is ignored. */
async function namesOf(glob: string): Promise<readonly string[]> {
  const matches = toPathGlob(fold(basename(glob).replace(/\[[^\]]*\]/g, '?')), 'exact')
  const entries = await readdir(dirname(glob), { encoding: 'buffer' }).catch((error: unknown) => {
    // The shell finds no names either.
    if (errnoOf(error) === undefined) throw error
    return []
  })
  const names = entries.map(String)
  if (names.some((name, at) => !Buffer.from(name).equals(entries[at] ?? Buffer.alloc(0))))
    refuse(glob, 'stands in a directory with names that are no text')
  return names.filter((name) => !name.startsWith('.') && (matches?.(fold(name)) ?? true))
}

/** True if a file may be shown. A dead link shows nothing. */
export async function mayShow(access: FileAccess, path: string): Promise<boolean> {
  try {
    return access.mayTouch(path) && access.mayShow(await canonicalPath(path))
  } catch (error) {
    if (error instanceof DeadLink) return true
    throw error
  }
}
