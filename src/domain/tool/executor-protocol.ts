import type { FileRules } from './file-rules.ts'
import type { ProgramFile } from './program-file.ts'
import type { ShellEnvelope } from './tool-call.ts'
import type { ToolError } from './tool-error.ts'

/** What the worker writes to an executor's standard input: one JSON object a line, at most 64 MiB. */
export type ExecutorRequest =
  | {
      readonly type: 'call'
      readonly id: string
      readonly tool: string
      readonly arguments: Readonly<Record<string, unknown>>
      readonly rules: FileRules
      /** The path the gate judged, absolute in the box; a different canonical path is answered `elsewhere`. */
      readonly judged: readonly string[]
      readonly timeoutMs: number
      /** Bytes of each stream kept in memory, head and tail (BASH-04). */
      readonly maxStreamBytes: number
      /** Entries that `diagnostics` returns at most (FILE-09). */
      readonly maxDiagnostics: number
      /** SHA-256 of the file that the card's diff was made from; the call is refused when it has changed. */
      readonly baseSha256?: string
      /** SHELL-07: the wildcards of a command, absolute in the box, whose last name alone holds any. */
      readonly globs?: readonly string[]
      /** APPR-24: the files that an approved command runs, absolute in the box; `baseSha256` is of all their digests. */
      readonly programs?: readonly string[]
      /** CHAT-07: of the file that `put_file` makes, in base64. */
      readonly content?: string
      /** Do not act: answer what would happen (diff and `baseSha256`) for edit and write, the `programs` for bash. */
      readonly preview?: boolean
      /** OUT-11: name the state of what is looked at, as `fingerprint`; answer `unchanged` where it is `known`. */
      readonly cache?: { readonly known?: string }
      /** Extra environment for bash; already checked for credentials. */
      readonly env: Readonly<Record<string, string>>
    }
  | { readonly type: 'cancel'; readonly id: string }

/** What an executor writes to its standard output. Hostile to the worker: parsed, bounded, only ids in flight. */
export type ExecutorReply =
  | { readonly type: 'ready'; readonly pid: number }
  /** A shell command was started; `pid` is its process group in the box's own numbering. */
  | { readonly type: 'started'; readonly id: string; readonly pid: number }
  /** What was printed since the last one; `isCut`: its beginning is left out. */
  | {
      readonly type: 'progress'
      readonly id: string
      readonly text: string
      readonly isCut?: boolean
    }
  | { readonly type: 'result'; readonly id: string; readonly outcome: ExecutorOutcome }

/** How a call ended in the box. `envelope`: of shell commands, also of those that failed. */
export type ExecutorOutcome =
  | {
      readonly kind: 'ok'
      readonly output: string
      readonly envelope?: ShellEnvelope
      readonly fingerprint?: string
    }
  /** Nothing was read: what would be looked at is as the request knew it (OUT-11). */
  | { readonly kind: 'unchanged' }
  | {
      readonly kind: 'error'
      readonly error: ToolError
      readonly output?: string
      readonly envelope?: ShellEnvelope
    }
  /** Nothing was done: the path the gate judged is really `canonical` (threat 1). */
  | { readonly kind: 'elsewhere'; readonly canonical: readonly string[] }
  /** Nothing was done: the file is not the one the approved diff was made from (GATE-07). */
  | { readonly kind: 'changed'; readonly path: string }
  | { readonly kind: 'preview'; readonly diff: string; readonly baseSha256: string }
  /** What stands at each of the request's `programs`, in its order (APPR-24). */
  | { readonly kind: 'programs'; readonly files: readonly ProgramFile[] }
