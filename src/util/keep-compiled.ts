import { readdirSync, rmSync, statSync } from 'node:fs'
import nodeModule from 'node:module'
import { join, resolve } from 'node:path'

/**
 * Makes Node cache compiled code in `<dataDir>/cache/compiled/<version>`, which speeds up later starts, and removes the caches of
 * other versions. Does nothing unless the directory exists and only this user can write to it, because its content is executed.
 */
export function keepCompiled(dataDir: string, version: string): void {
  if (!isOurs(dataDir)) return
  const kept = join(resolve(dataDir), 'cache', 'compiled')
  // Not imported by name: Node 20 lacks it, where the program must load in order to say that Node is too old.
  nodeModule.enableCompileCache(join(kept, version))
  for (const name of namesIn(kept).filter((each) => each !== version)) {
    rmSync(join(kept, name), { recursive: true, force: true })
  }
}

function isOurs(directory: string): boolean {
  const found = statSync(directory, { throwIfNoEntry: false })
  const own = process.geteuid?.()
  return found?.isDirectory() === true && found.uid === own && (found.mode & 0o022) === 0
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
