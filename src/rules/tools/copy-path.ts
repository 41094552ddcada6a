import { z } from 'zod'
import { pathField, type ToolSpec } from './tool-spec.ts'

/** Copies a file, a link or a directory. */
export const copyPathTool: ToolSpec = {
  name: 'copy_path',
  description:
    'Copies a file, a link (as a link) or a whole directory. Missing parents of the destination are made; what exists there is never replaced. Of a directory, files that may not be read are left out, and the result says how many.',
  kind: 'edit',
  does: 'copy',
  schema: z.strictObject({
    source: pathField('What to copy.'),
    destination: pathField('The path of the copy, its own name included.'),
  }),
  idempotent: false,
  cacheable: false,
  mutating: true,
  needsNetwork: false,
  runsIn: 'box',
  timeoutMs: 120_000,
  ruledBy: { kind: 'paths' },
  paths: [
    { argument: 'source', use: 'read', deniedLike: 'read' },
    { argument: 'destination', use: 'write', deniedLike: 'write', effectOf: () => 'writes it' },
  ],
  walksTree: true,
  risk: 'low',
}
