import { z } from 'zod'
import type { ToolSpec } from './tool-spec.ts'

/** SCH-02: finds tools that the model was not shown; offered only if there are any. */
export const toolSearchTool: ToolSpec = {
  name: 'tool_search',
  description:
    'Finds further tools that are not in the catalogue, by what they do or by name, and adds them to it from the next step on. Use it before you say that something cannot be done.',
  kind: 'other',
  schema: z.strictObject({
    query: z
      .string()
      .min(1)
      .max(500)
      .describe('What the tool should do, in a few words, or the exact name of one.'),
  }),
  idempotent: true,
  cacheable: false,
  mutating: false,
  needsNetwork: false,
  runsIn: 'agent',
  timeoutMs: 10_000,
  findsTools: true,
}
