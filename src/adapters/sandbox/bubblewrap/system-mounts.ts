import { lstatSync, readlinkSync } from 'node:fs'

const roots = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

/** Bubblewrap arguments for a read-only system: `/usr`, and what the host keeps or links beside it. */
export function systemMounts(): readonly string[] {
  return ['--ro-bind', '/usr', '/usr', ...roots.flatMap(mountRoot)]
}

function mountRoot(path: string): readonly string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return []
  return stats.isSymbolicLink()
    ? ['--symlink', readlinkSync(path), path]
    : ['--ro-bind', path, path]
}
