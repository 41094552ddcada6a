import { z } from 'zod'
import { countField, type ToolSpec } from './tool-spec.ts'

const reference =
  /^(overflow:)?[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/

/** OUT-09: reads the cut part of a long output. */
export const readOverflowTool: ToolSpec = {
  name: 'read_overflow',
  description:
    'Reads back, in windows, the full text of a tool output that was too long and was replaced by its head and tail with a line `overflow:<uuid>`. A window that has no room for all it was asked for says where to go on. Only outputs of this session are found, and only for some days.',
  kind: 'other',
  schema: z.strictObject({
    id: z.string().regex(reference).describe('The reference, with or without `overflow:`.'),
    offset: countField(
      0,
      1_000_000_000,
      'Lines to skip from the start, or matches where a pattern is given (default 0).',
    ).optional(),
    pattern: z
      .string()
      .min(1)
      .max(1_024)
      .describe(
        'Only lines in which this regular expression (RE2) matches, each behind its number.',
      )
      .optional(),
    limit: countField(1, 10_000, 'Lines to return at most (default 500).').optional(),
    column: countField(
      0,
      1_000_000_000,
      'Characters to skip in the first of these lines (default 0): for lines that no window has room for.',
    ).optional(),
  }),
  idempotent: true,
  cacheable: false,
  mutating: false,
  needsNetwork: false,
  runsIn: 'agent',
  timeoutMs: 10_000,
  alwaysShown: true,
}
