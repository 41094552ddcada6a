import { chmod, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Makes the directory `<parent>/<name>`, which everybody may enter, with what `write` puts into it, and returns its path. One
 * that exists is reused and never changed, since other processes mount it: `name` must name its content, as a hash does.
 */
export async function stageFolder(
  parent: string,
  name: string,
  write: (dir: string) => Promise<void>,
): Promise<string> {
  const target = join(parent, name)
  if (await exists(target)) return target
  await mkdir(parent, { recursive: true, mode: 0o755 })
  const draft = await mkdtemp(join(parent, 'draft-'))
  try {
    await chmod(draft, 0o755)
    await write(draft)
    await renameUnlessThere(draft, target)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return target
}

/** Another process may have created the same directory meanwhile; its copy stays. */
async function renameUnlessThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (!(await exists(to))) throw error
  }
}

/** Whether there is something at a path, links followed. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
