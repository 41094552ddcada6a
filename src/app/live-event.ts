import { z } from 'zod'

const turn = { turnId: z.uuid(), epoch: z.number().int() }

/** A live event as it stands on the bus: whoever can write there can show text, so its shape is all that is trusted. */
export const liveEvent = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), ...turn, text: z.string() }),
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
