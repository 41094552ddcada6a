import { z } from 'zod'
import { pathField, type ToolSpec } from './tool-spec.ts'

/** Deletes a file, a link, or a directory with its content. */
export const deletePathTool: ToolSpec = {
  name: 'delete_path',
  description:
    'Deletes a file, a link (never what it leads to), or a directory with everything below it. Cannot be undone. The workspace itself is refused. Returns how much was deleted.',
  kind: 'edit',
  does: 'delete',
  schema: z.strictObject({
    path: pathField('What to delete.'),
    recursive: z
      .boolean()
      .describe('False: a directory is deleted only when it is empty (default true).')
      .optional(),
  }),
  idempotent: false,
  cacheable: false,
  mutating: true,
  needsNetwork: false,
  runsIn: 'box',
  timeoutMs: 120_000,
  ruledBy: { kind: 'paths' },
  paths: [
    {
      argument: 'path',
      use: 'remove',
      effectOf: ({ recursive }) => (recursive === false ? undefined : 'deletes all below it'),
    },
  ],
  risk: 'high',
}
