/** BASH-07: what a call may cost that is put back when it fails. */
export interface SnapshotLimits {
  /** Of the workspace; none is taken of a larger one. */
  readonly maxBytes: number
  /** Whether nothing runs of which no snapshot can be taken. */
  readonly isRequired: boolean
}

/**
 * What stands at a path of a workspace. Paths are relative to it and hold one character a byte, so that names which are not UTF-8
 * survive JSON.
 */
export type TreeEntry =
  | { readonly kind: 'directory'; readonly path: string; readonly mode: number }
  | ({ readonly kind: 'file'; readonly path: string } & FileFacts)
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  /** A pipe, a socket or a device: noted, never copied. */
  | { readonly kind: 'other'; readonly path: string }

export interface FileFacts {
  /** Permission bits. */
  readonly mode: number
  readonly size: number
  /** Microseconds since 1970. */
  readonly mtimeUs: number
  /** The same as long as nobody has written, replaced or changed the file; made of what no program can set back. */
  readonly stamp: string
}

/** Directories before what they hold. */
export interface Tree {
  readonly entries: readonly TreeEntry[]
  /** Of all files. */
  readonly bytes: number
}

/** A piece of a file's content in base64; the last one when `isLast`. */
export interface FilePiece extends FileFacts {
  readonly path: string
  readonly offset: number
  readonly content: string
  readonly isLast: boolean
}

/** How a workspace differs from a tree, or differed before it was put back. */
export interface TreeChanges {
  /** Entries that the tree does not have. */
  readonly removed: number
  /** Directories and links that were missing or another. */
  readonly made: number
  /** Directories whose permissions were others. */
  readonly modes: number
  /** Special files that are gone and cannot be made again. */
  readonly lost: number
  /** Files whose content is to be put back. */
  readonly wanted: readonly string[]
  /** The first few of all these, to be told. */
  readonly named: readonly string[]
}
