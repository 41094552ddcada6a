import { type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

/** A covered place of the host: what stood there when the box was started, undefined for nothing. */
interface Covered {
  readonly path: string
  readonly inode: number | undefined
}

/**
 * Calls `onUncovered` when a covered place is replaced on the host, as editors do when they save: the kernel takes a
 * mount away with the name it was laid on, and the box would see and could change what is new (GATE-12). A place that
 * was absent counts as replaced as soon as it holds something. The caller disposes.
 */
export function watchCovers(paths: readonly string[], onUncovered: () => void): Disposable {
  const covered = paths.map((path) => ({ path, inode: inodeOf(path) }))
  const look = (names: ReadonlySet<string>, name: string | null): void => {
    if ((name === null || names.has(name)) && covered.some(isUncovered)) onUncovered()
  }
  const watchers = [...new Set(paths.map(dirname))].flatMap((folder) => {
    const own = paths.filter((path) => dirname(path) === folder).map((path) => basename(path))
    const names = new Set(own)
    return tryWatch(folder, (name) => look(names, name))
  })
  return {
    [Symbol.dispose]: () => {
      for (const watcher of watchers) watcher.close()
    },
  }
}

/** Where the system gives no more watches, covers hold as long as nobody replaces what is below them. */
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
  return now !== undefined && (now.isDirectory() ? holdsSomething(path) : now.size > 0)
}

function holdsSomething(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0
  } catch {
    return false
  }
}
