/** APPR-24: result of looking up a command's program in the workspace. */
export type ProgramFile =
  | { readonly kind: 'file'; readonly bytes: number; readonly sha256: string }
  /** No regular file exists at the path. */
  | { readonly kind: 'absent' }
  /** The file is unreadable, or too large to be hashed. */
  | { readonly kind: 'unread' }
