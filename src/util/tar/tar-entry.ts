/** One entry of a tar file. Paths are relative, with `/` between names. */
export interface TarEntry {
  readonly path: string
  readonly kind: 'file' | 'directory' | 'symlink' | 'link'
  /** Permission bits only. */
  readonly mode: number
  readonly uid: number
  readonly gid: number
  /** Whole seconds since 1970. */
  readonly mtime: number
  /** Bytes of content; 0 except for files. */
  readonly size: number
  /** A symlink's target text, or the path of the entry that a hard link refers to. */
  readonly target: string
}

/** Block size of the format in bytes. */
export const blockBytes = 512

/** Number of zero bytes after content of this size. */
export function paddingOf(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes
}
