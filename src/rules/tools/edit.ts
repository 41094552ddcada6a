import { z } from 'zod'
import { pathField, type ToolSpec } from './tool-spec.ts'

/** FILE-06: replaces exact text in a file. */
export const editTool: ToolSpec = {
  name: 'edit',
  description:
    'Replaces exact text in a file and returns `Edited PATH (N replacements)` with a unified diff. old_string must occur exactly once, unless replace_all is true; with more it fails and names the lines, so give more of the surrounding text. Line endings of the file are kept. Text that holds a `[redacted:…]` mark is refused.',
  kind: 'edit',
  schema: z.strictObject({
    path: pathField('The file.'),
    old_string: z
      .string()
      .describe('The text to replace, exactly as it stands, without line numbers.'),
    new_string: z.string().describe('The text that takes its place; different from old_string.'),
    replace_all: z.boolean().optional().describe('Replace every occurrence (default false).'),
  }),
  idempotent: false,
  cacheable: false,
  mutating: true,
  needsNetwork: false,
  runsIn: 'box',
  timeoutMs: 30_000,
  aliases: ['edit_file'],
  ruledBy: { kind: 'paths' },
  paths: [{ argument: 'path', use: 'write', isFile: true }],
  risk: 'low',
  previews: true,
  alwaysShown: true,
}
