/** BASH-07: limits for snapshots of a workspace that is restored when a call fails. */
export interface SnapshotLimits {
  /** Largest workspace, in bytes, of which a snapshot is taken. */
  readonly maxBytes: number
  /** True if a call must not run when no snapshot can be taken. */
  readonly isRequired: boolean
}

/**
 * Entry of a workspace. Paths are relative to the workspace and hold one character a byte, so that names which are
 * not UTF-8 survive JSON.
 */
export type TreeEntry =
  | { readonly kind: 'directory'; readonly path: string; readonly mode: number }
  | ({ readonly kind: 'file'; readonly path: string } & FileFacts)
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  /** Pipe, socket or device: recorded, never copied. */
  | { readonly kind: 'other'; readonly path: string }

export interface FileFacts {
  /** Permission bits. */
  readonly mode: number
  readonly size: number
  /** Modification time in microseconds since 1970. */
  readonly mtimeUs: number
  /** Stamp that changes whenever the file is written, replaced or changed, made of values that no program can reset. */
  readonly stamp: string
}

/** Entries of a workspace, directories before their contents. */
export interface Tree {
  readonly entries: readonly TreeEntry[]
  /** Size of all files in bytes. */
  readonly bytes: number
}

/** Part of a file's content in base64; `isLast` marks the last one. */
export interface FilePiece extends FileFacts {
  readonly path: string
  readonly offset: number
  readonly content: string
  readonly isLast: boolean
}

/** Differences between a workspace and a tree, as found before a restore. */
export interface TreeChanges {
  /** Number of entries that the tree does not have. */
  readonly removed: number
  /** Number of directories and links that were missing or different. */
  readonly made: number
  /** Number of directories whose permissions differed. */
  readonly modes: number
  /** Number of special files that are gone and cannot be recreated. */
  readonly lost: number
  /** Files whose content must be restored. */
  readonly wanted: readonly string[]
  /** Names of the first few differences, for messages. */
  readonly named: readonly string[]
}
