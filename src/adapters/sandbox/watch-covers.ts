import { type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

/** A covered path of the host, and its inode when the box started (undefined if missing). */
interface Covered {
  readonly path: string
  readonly inode: number | undefined
}

/**
 * Calls `onUncovered` when a covered path is replaced on the host, as editors do on saving: the kernel removes a mount together
 * with the name it was mounted on, so the box could read and change the new file (GATE-12). A missing path counts as replaced
 * once it has content. The caller disposes.
 */
export function watchCovers(paths: readonly string[], onUncovered: () => void): Disposable {
  const covered = paths.map((path) => ({ path, inode: inodeOf(path) }))
  const check = (names: ReadonlySet<string>, name: string | null): void => {
    if ((name === null || names.has(name)) && covered.some(isUncovered)) onUncovered()
  }
  const watchers = [...new Set(paths.map(dirname))].flatMap((folder) => {
    const own = paths.filter((path) => dirname(path) === folder).map((path) => basename(path))
    const names = new Set(own)
    return tryWatch(folder, (name) => check(names, name))
  })
  return {
    [Symbol.dispose]: () => {
      for (const watcher of watchers) watcher.close()
    },
  }
}

/** If the system has no watches left, covers hold as long as the paths below are not replaced. */
function tryWatch(folder: string, onChange: (name: string | null) => void): FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => onChange(name))
    watcher.on('error', () => watcher.close())
    return [watcher]
  } catch {
    return []
  }
}

function inodeOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.ino
}

function isUncovered({ path, inode }: Covered): boolean {
  const now = lstatSync(path, { throwIfNoEntry: false })
  if (inode !== undefined) return now?.ino !== inode
  return now !== undefined && (now.isDirectory() ? hasEntries(path) : now.size > 0)
}

function hasEntries(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0
  } catch {
    return false
  }
}
