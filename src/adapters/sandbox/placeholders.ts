import { lstat, rmdir, unlink } from 'node:fs/promises'

/** Remembers what stands on the host to cover absent places while boxes live, and removes it with the last box. */
export function createPlaceholders() {
  const made = new Set<string>()
  let boxes = 0
  return {
    boxStarts(paths: readonly string[]): void {
      boxes += 1
      for (const path of paths) made.add(path)
    },
    /** While another box lives, removing one would uncover its place there. */
    async boxEnded(): Promise<void> {
      boxes -= 1
      if (boxes > 0) return
      const all = [...made]
      made.clear()
      await Promise.all(all.map(removeEmpty))
    },
  }
}

/** Somebody may have written there, or removed it, meanwhile. */
async function removeEmpty(path: string): Promise<void> {
  try {
    const stats = await lstat(path)
    if (stats.isDirectory()) await rmdir(path)
    else if (stats.isFile() && stats.size === 0) await unlink(path)
  } catch {
    // Not ours any more.
  }
}
