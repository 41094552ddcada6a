import { z } from 'zod'
import { pathField, type ToolSpec } from './tool-spec.ts'

/** Writes a whole file, replaced atomically. */
export const writeTool: ToolSpec = {
  name: 'write',
  description:
    'Writes a text file, replacing what was there in one step; missing parent directories are made. With `append` it adds to the end instead: for a file that is too long for one answer. Returns `Wrote N bytes to PATH`. For a change to an existing file prefer edit. Text that holds a `[redacted:…]` mark is refused: it would replace a real secret.',
  kind: 'edit',
  does: 'write',
  schema: z.strictObject({
    path: pathField('The file.'),
    content: z.string().describe('The whole new text of the file, or with `append` what is added.'),
    append: z
      .boolean()
      .describe(
        'Adds `content` to the end of the file as it is, no line break between (default false).',
      )
      .optional(),
  }),
  idempotent: false,
  cacheable: false,
  mutating: true,
  needsNetwork: false,
  runsIn: 'box',
  timeoutMs: 30_000,
  aliases: ['write_file'],
  ruledBy: { kind: 'paths' },
  paths: [{ argument: 'path', use: 'write', isFile: true }],
  risk: 'low',
  previews: true,
  alwaysShown: true,
}
