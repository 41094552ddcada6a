import { z } from 'zod'
import { countField, pathField, type ToolSpec } from './tool-spec.ts'

/** FILE-08: finds lines that match a regular expression. */
export const grepTool: ToolSpec = {
  name: 'grep',
  description:
    'Searches files, line by line, for a regular expression and returns `path:line: text`, with context lines as `path-line- text`. Linear-time dialect: no lookaround, no backreferences; escape what is meant literally. Searches directories in full, hidden and ignored files included, but skips `.git`, `node_modules` and `target` unless path or glob names them; binary files are skipped and no directory links are followed.',
  kind: 'search',
  schema: z.strictObject({
    pattern: z.string().min(1).max(4096).describe('The regular expression.'),
    path: pathField('File or directory to search (default: the workspace).').optional(),
    case_sensitive: z.boolean().optional().describe('Whether case matters (default true).'),
    glob: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('Only files whose path or name matches, such as `*.ts` or `src/**/*.{js,ts}`.'),
    max_results: countField(1, 10_000, 'Matching lines at most (default 100).').optional(),
    context: countField(0, 50, 'Lines shown before and after each match (default 0).').optional(),
  }),
  idempotent: true,
  cacheable: true,
  mutating: false,
  needsNetwork: false,
  runsIn: 'box',
  timeoutMs: 30_000,
  ruledBy: { kind: 'paths' },
  paths: [{ argument: 'path', use: 'read', deniedLike: 'read' }],
  walksTree: true,
  alwaysShown: true,
}
