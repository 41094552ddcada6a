import { z } from 'zod'
import { pathField, type ToolSpec } from './tool-spec.ts'

/** Renames or moves a file, a link or a directory. */
export const movePathTool: ToolSpec = {
  name: 'move_path',
  description:
    'Moves or renames a file, a link or a whole directory, across file systems too. Missing parents of the destination are made; what exists there is never replaced.',
  kind: 'edit',
  does: 'move',
  schema: z.strictObject({
    source: pathField('What to move.'),
    destination: pathField('Its new path, its own name included.'),
  }),
  idempotent: false,
  cacheable: false,
  mutating: true,
  needsNetwork: false,
  runsIn: 'box',
  timeoutMs: 120_000,
  ruledBy: { kind: 'paths' },
  paths: [
    { argument: 'source', use: 'remove', deniedLike: 'read' },
    { argument: 'destination', use: 'write', deniedLike: 'write', effectOf: () => 'writes it' },
  ],
  walksTree: true,
  risk: 'low',
}
