import { lstat, rmdir, unlink } from 'node:fs/promises'

/** Tracks the placeholders on the host that cover missing paths, and removes them with the last box. */
export function createPlaceholders() {
  const made = new Set<string>()
  let boxes = 0
  return {
    boxStarts(paths: readonly string[]): void {
      boxes += 1
      for (const path of paths) made.add(path)
    },
    /** Removes nothing while another box is running, as that would uncover its paths. */
    async boxEnded(): Promise<void> {
      boxes -= 1
      if (boxes > 0) return
      const all = [...made]
      made.clear()
      await Promise.all(all.map(removeEmpty))
    },
  }
}

/** Removes a placeholder that is still empty; it may have been changed or removed meanwhile. */
async function removeEmpty(path: string): Promise<void> {
  try {
    const stats = await lstat(path)
    if (stats.isDirectory()) await rmdir(path)
    else if (stats.isFile() && stats.size === 0) await unlink(path)
  } catch {
    // Not ours any more.
  }
}
