import type { FileRules, ProgramFile } from './file-rules.ts'
import type { ShellEnvelope } from './tool-call.ts'
import type { ToolError } from './tool-error.ts'

/** Request that the worker writes to an executor's standard input: one JSON object a line, at most 64 MiB. */
export type ExecutorRequest =
  | {
      readonly type: 'call'
      readonly id: string
      readonly tool: string
      readonly arguments: Readonly<Record<string, unknown>>
      readonly rules: FileRules
      /** Paths that the gate evaluated, absolute in the box. If the canonical paths differ, the reply is `elsewhere`. */
      readonly judged: readonly string[]
      readonly timeoutMs: number
      /** Bytes of each stream kept in memory, head and tail together (BASH-04). */
      readonly maxStreamBytes: number
      /** Maximum number of entries that `diagnostics` returns (FILE-09). */
      readonly maxDiagnostics: number
      /** SHA-256 of the file that the card's diff was computed from. The call is refused if the file has changed. */
      readonly baseSha256?: string
      /**
       * SHELL-04, SHELL-07: commands that are run first for the names that they print, in directories that are absolute in the
       * box. `isNul`: a NUL ends each name. `mayWrite`: the command may write the files. `into`: where it copies them.
       */
      readonly listings?: readonly {
        readonly directory: string
        readonly text: string
        readonly isNul?: true | undefined
        readonly mayWrite?: true | undefined
        readonly into?: string | undefined
      }[]
      /**
       * SHELL-11: paths that a command may write, absolute in the box; `from`: files or directories that it copies to the path. The
       * reply is `elsewhere` if a file of orders that is not in `judged` would be written by that.
       */
      readonly written?: readonly {
        readonly path: string
        readonly from?: readonly string[] | undefined
      }[]
      /** APPR-24: files that an approved command executes, absolute in the box. `baseSha256` covers all their digests. */
      readonly programs?: readonly string[]
      /** CHAT-07: content of the file that `put_file` creates, in base64. */
      readonly content?: string
      /** Reports the effect without acting: diff and `baseSha256` for edit and write, `programs` for bash. */
      readonly preview?: boolean
      /** OUT-11: asks for a `fingerprint` of what is read; the reply is `unchanged` if it equals `known`. */
      readonly cache?: { readonly known?: string }
      /** Additional environment for bash, already checked for credentials. */
      readonly env: Readonly<Record<string, string>>
    }
  | { readonly type: 'cancel'; readonly id: string }

/**
 * Reply that an executor writes to its standard output. Untrusted: the worker parses it, bounds it and accepts only
 * ids in flight.
 */
export type ExecutorReply =
  | { readonly type: 'ready'; readonly pid: number }
  /** A shell command was started; `pid` is its process group in the box's pid namespace. */
  | { readonly type: 'started'; readonly id: string; readonly pid: number }
  /** Output since the previous event; `isCut` if its beginning was dropped. */
  | {
      readonly type: 'progress'
      readonly id: string
      readonly text: string
      readonly isCut?: boolean
    }
  | { readonly type: 'result'; readonly id: string; readonly outcome: ExecutorOutcome }

/** Outcome of a call in the box. Shell commands have an `envelope` also when they failed. */
export type ExecutorOutcome =
  | {
      readonly kind: 'ok'
      readonly output: string
      readonly envelope?: ShellEnvelope
      readonly fingerprint?: string
    }
  /** Nothing was read, since the fingerprint equals the one in the request (OUT-11). */
  | { readonly kind: 'unchanged' }
  | {
      readonly kind: 'error'
      readonly error: ToolError
      readonly output?: string
      readonly envelope?: ShellEnvelope
    }
  /** Nothing was done: the evaluated paths resolve to `canonical`, or the call would write these too (threat 1). */
  | { readonly kind: 'elsewhere'; readonly canonical: readonly string[] }
  /** Nothing was done: the file changed after the approved diff was computed (GATE-07). */
  | { readonly kind: 'changed'; readonly path: string }
  | { readonly kind: 'preview'; readonly diff: string; readonly baseSha256: string }
  /** Contents of the request's `programs`, in the same order (APPR-24). */
  | { readonly kind: 'programs'; readonly files: readonly ProgramFile[] }
