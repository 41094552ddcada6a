/** One entry of a tar file. Paths are relative, with `/` between names. */
export interface TarEntry {
  readonly path: string
  readonly kind: 'file' | 'directory' | 'symlink' | 'link'
  /** Permission bits alone. */
  readonly mode: number
  readonly uid: number
  readonly gid: number
  /** Whole seconds since 1970. */
  readonly mtime: number
  /** Bytes of content; 0 for all but files. */
  readonly size: number
  /** Of a symlink its text, of a link the path of the entry that it is another name of. */
  readonly target: string
}

/** Content goes in blocks of so many bytes. */
export const blockBytes = 512

/** How many bytes of zeros follow a content of this size. */
export function paddingOf(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes
}
