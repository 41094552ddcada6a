import { z } from 'zod'
import { countField, pathField, type ToolSpec } from './tool-spec.ts'

/** FILE-07: reads a window of a text file with true line numbers. */
export const readTool: ToolSpec = {
  name: 'read',
  description:
    'Reads a text file and returns its lines with their 1-based numbers, by default the first 2,000. Of a longer line the first 2,000 characters are shown, with a notice that says by which column to go on. Use offset and limit for a window of a longer file; files over 10 MiB need them. Directories, binary files and files that are not UTF-8 are named as such instead of shown.',
  kind: 'read',
  schema: z.strictObject({
    path: pathField('The file.'),
    offset: countField(0, 1_000_000_000, 'Lines to skip from the start (default 0).').optional(),
    limit: countField(1, 100_000, 'Lines to return at most (default 2000).').optional(),
    column: countField(
      0,
      1_000_000_000,
      'Characters to skip in the first of these lines (default 0), of which up to 20,000 are shown then.',
    ).optional(),
  }),
  idempotent: true,
  cacheable: true,
  mutating: false,
  needsNetwork: false,
  runsIn: 'box',
  timeoutMs: 30_000,
  aliases: ['read_file'],
  ruledBy: { kind: 'paths' },
  paths: [{ argument: 'path', use: 'read', isFile: true }],
  alwaysShown: true,
}
