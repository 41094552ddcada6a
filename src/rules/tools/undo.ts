import { z } from 'zod'
import type { ToolSpec } from './tool-spec.ts'

/** BASH-07: the tool behind `/undo`. Never shown to a model, which cannot call it. */
export const undoTool: ToolSpec = {
  name: 'undo',
  description: 'Puts the workspace back as it was before the last call that changed something.',
  kind: 'edit',
  does: 'undo',
  schema: z.strictObject({
    own: z.boolean().optional().describe('Only what the same person changed.'),
    anyway: z
      .boolean()
      .optional()
      .describe('Also where what is there now cannot be kept, and is lost.'),
  }),
  idempotent: false,
  cacheable: false,
  mutating: true,
  needsNetwork: false,
  runsIn: 'box',
  timeoutMs: 240_000,
  restores: true,
  isForPeople: true,
}
