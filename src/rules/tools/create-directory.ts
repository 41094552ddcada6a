import { z } from 'zod'
import { pathField, type ToolSpec } from './tool-spec.ts'

/** Creates a directory with its parents. */
export const createDirectoryTool: ToolSpec = {
  name: 'create_directory',
  description:
    'Makes a directory and its missing parents. One that exists already is a success. Not needed before write, which makes parents itself.',
  kind: 'edit',
  does: 'create_folder',
  schema: z.strictObject({ path: pathField('The directory.') }),
  idempotent: true,
  cacheable: false,
  mutating: true,
  needsNetwork: false,
  runsIn: 'box',
  timeoutMs: 30_000,
  ruledBy: { kind: 'paths' },
  paths: [{ argument: 'path', use: 'write', deniedLike: 'write' }],
  risk: 'low',
}
