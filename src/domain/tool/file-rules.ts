/** Where file tools may go, in box paths. Globs follow GATE-08 and are matched against canonical paths. */
export interface FileRules {
  /** Absolute path of the workspace as the box sees it; also HOME there. */
  readonly workspace: string
  /** Absolute directories that may be read and written; empty: the workspace alone. */
  readonly allowed: readonly string[]
  readonly denyRead: readonly string[]
  readonly allowRead: readonly string[]
  /** Deny rules of the judged tool's permission layers (GATE-07), checked again on the canonical path. */
  readonly denyByRule: readonly string[]
  /** GATE-12: absolute paths that no tool reads or changes. */
  readonly masked: readonly string[]
}
