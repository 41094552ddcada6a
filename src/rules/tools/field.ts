import { z } from 'zod'

/** A path as every file tool takes it; `what` says what it names. */
export function pathField(what: string): z.ZodString {
  return z
    .string()
    .min(1)
    .max(4096)
    .describe(
      `${what} Absolute, relative to the workspace, or starting with \`~/\` (the workspace).`,
    )
}

/** A count between `min` and `max`, both included. */
export function countField(min: number, max: number, what: string): z.ZodNumber {
  return z.number().int().min(min).max(max).describe(what)
}

/** Where a web tool goes; what may be asked for is for the gate and the worker to say (WEB-02). */
export const urlField = z
  .string()
  .min(1)
  .max(8192)
  .describe('The absolute URL, beginning with `https://`.')
