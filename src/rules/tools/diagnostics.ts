import { z } from 'zod'
import { countField, pathField, type ToolSpec } from './tool-spec.ts'

/** FILE-09: runs the project's compiler. That runs build scripts and macros of the project: not cached, and needs approval. */
export const diagnosticsTool: ToolSpec = {
  name: 'diagnostics',
  description:
    'Runs `cargo check`, `cargo clippy` or `tsc --noEmit` in the project that the path belongs to, and returns JSON: `diagnostics` (severity `error` or `warning`, message, file, line, col), `cut` (how many more there were) and `warnings`. With a path only entries of that file or directory. Where the compiler is missing the list is empty and a warning says so.',
  kind: 'other',
  schema: z.strictObject({
    kind: z
      .enum(['check', 'clippy', 'tsc'])
      .describe('Which compiler: `check` (default) and `clippy` for Rust, `tsc` for TypeScript.')
      .optional(),
    path: pathField('File or directory of the project (default: the workspace).').optional(),
    max_diagnostics: countField(
      1,
      10_000,
      'Entries at most; the configured number is default and ceiling.',
    ).optional(),
  }),
  idempotent: false,
  cacheable: false,
  mutating: true,
  needsNetwork: false,
  runsIn: 'box',
  runsPrograms: true,
  timeoutMs: 300_000,
  paths: [{ argument: 'path', use: 'read' }],
}
