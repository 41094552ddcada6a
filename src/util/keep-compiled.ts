import { readdirSync, rmSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'

/**
 * Has Node keep what it compiles in `<dataDir>/cache/compiled/<version>`, which makes later starts faster, and removes that of other
 * versions. Does nothing unless the directory is there and only this user can write to it: what is kept there is run.
 */
export function keepCompiled(dataDir: string, version: string): void {
  if (!isOurs(dataDir)) return
  const kept = join(resolve(dataDir), 'cache', 'compiled')
  enableCompileCache(join(kept, version))
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
