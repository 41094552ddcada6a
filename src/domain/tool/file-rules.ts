/** Paths that file tools may access, as the box sees them. Globs follow GATE-08 and are matched against canonical paths. */
export interface FileRules {
  /** Absolute path of the workspace in the box, where it is also HOME. */
  readonly workspace: string
  /** Absolute directories open for reading and writing; empty means the workspace only. */
  readonly allowed: readonly string[]
  readonly denyRead: readonly string[]
  readonly allowRead: readonly string[]
  /** Deny rules of all permission layers for this tool (GATE-07), checked again on the canonical path. */
  readonly denyByRule: readonly string[]
  /** GATE-12: absolute paths that no tool may read or change. */
  readonly masked: readonly string[]
}

/** APPR-24: result of looking up a command's program in the workspace. */
export type ProgramFile =
  | { readonly kind: 'file'; readonly bytes: number; readonly sha256: string }
  /** No regular file exists at the path. */
  | { readonly kind: 'absent' }
  /** The file is unreadable, or too large to be hashed. */
  | { readonly kind: 'unread' }
