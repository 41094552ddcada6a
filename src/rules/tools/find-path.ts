import { z } from 'zod'
import { countField, pathField, type ToolSpec } from './tool-spec.ts'

/** Finds paths whose name matches a glob. */
export const findPathTool: ToolSpec = {
  name: 'find_path',
  description:
    'Finds files and directories below `path` by a glob and returns their paths relative to it, sorted, one a line, and a last line that says so when there were more. `*` stays within one name, `**` crosses directories; a pattern without `/` is tried on names at any depth. Skips `.git`, `node_modules` and `target` unless the pattern names them and follows no directory links.',
  kind: 'search',
  schema: z.strictObject({
    path: pathField('The directory to search.'),
    pattern: z.string().min(1).max(256).describe('The glob, such as `*.ts` or `src/**/test-*`.'),
    max_results: countField(1, 10_000, 'Paths at most (default 200).').optional(),
  }),
  idempotent: true,
  cacheable: true,
  mutating: false,
  needsNetwork: false,
  runsIn: 'box',
  timeoutMs: 30_000,
  aliases: ['glob'],
  ruledBy: { kind: 'paths', pattern: 'pattern' },
  paths: [{ argument: 'path', use: 'read' }],
  walksTree: true,
  alwaysShown: true,
}
