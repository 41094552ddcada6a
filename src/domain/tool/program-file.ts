/** APPR-24: what a box found where a command's program is a file of the workspace. */
export type ProgramFile =
  | { readonly kind: 'file'; readonly bytes: number; readonly sha256: string }
  /** Nothing is there, or no regular file. */
  | { readonly kind: 'absent' }
  /** It may not be read, or is too large for its digest to be made. */
  | { readonly kind: 'unread' }
