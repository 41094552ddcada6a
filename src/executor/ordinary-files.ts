import { type BigIntStats, statfsSync } from 'node:fs'

/** Linux's numbers (`statfs`) of file systems where nobody changes a file without its times. */
const ordinary: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0xf2f52010, // f2fs
  0x2fc12fc1, // zfs
  0xca451a4e, // bcachefs
  0x794c7630, // overlay: layers of containers
  0x01021994, // tmpfs
])

/**
 * OUT-11: whether size and times tell of all these files when they change. They do not in `/proc` and `/sys`, and need not where a
 * program (FUSE) or another machine answers for the files. Looks once at each device; elsewhere than on Linux at none.
 */
export function areOrdinary(
  files: readonly { readonly path: string; readonly stats: BigIntStats }[],
): boolean {
  if (process.platform !== 'linux') return true
  const places = new Map(files.map(({ path, stats }) => [stats.dev, path]))
  return [...places.values()].every(isOrdinary)
}

function isOrdinary(path: string): boolean {
  try {
    return ordinary.has(statfsSync(path).type >>> 0)
  } catch {
    return false
  }
}
