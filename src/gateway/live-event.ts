import { z } from 'zod'

const turn = { turnId: z.uuid(), epoch: z.number().int() }

/** What an agent or a replica said live. */
export const liveEvent = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('text'),
    ...turn,
    offset: z.number().int().nonnegative(),
    text: z.string(),
  }),
  z.strictObject({
    kind: z.literal('progress'),
    ...turn,
    callId: z.string(),
    tool: z.string(),
    text: z.string(),
    elapsedMs: z.number(),
  }),
  z.strictObject({ kind: z.literal('thinking'), ...turn }),
])
