import { z } from 'zod'
import { pathField, type ToolSpec } from './tool-spec.ts'

/** FILE-04: lists one directory. */
export const listDirectoryTool: ToolSpec = {
  name: 'list_directory',
  description:
    'Lists one directory, one entry a line: `[dir]`, `[file]` or `[symlink]` and the name; directories first, then files, then symlinks, each sorted. Follows no links and does not descend: use find_path for that. Entries that may not be read are left out.',
  kind: 'search',
  schema: z.strictObject({ path: pathField('The directory.') }),
  idempotent: true,
  cacheable: true,
  mutating: false,
  needsNetwork: false,
  runsIn: 'box',
  timeoutMs: 30_000,
  ruledBy: { kind: 'paths' },
  paths: [{ argument: 'path', use: 'read' }],
  walksTree: true,
  alwaysShown: true,
}
