import { z } from 'zod'
import { batchActions } from '../../domain/batch-card.ts'
import { feedbackVerdicts } from '../../domain/button-action.ts'
import { grantEnds } from '../../domain/grant-life.ts'

const decision = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('approve') }),
  z.strictObject({ kind: z.literal('always'), life: z.enum(grantEnds).optional() }),
  z.strictObject({ kind: z.literal('deny'), reason: z.string().max(4000).optional() }),
])

/** What a person did, platform-neutral. `shell` comes from a terminal only (TERM-03). */
export const inboundBody = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('message'),
    text: z.string().min(1).max(200_000),
    /** The platform's id of the message that was replied to. */
    replyTo: z.string().max(100).optional(),
    /** Whether it was written where others read too. */
    isShared: z.boolean().optional(),
    /** Then: the place where whoever wrote it alone is reached, if the platform tells it. */
    privately: z.string().max(100).optional(),
  }),
  /** CHAT-07: the same with files, which are rows of their own; `text` may be empty. */
  z.strictObject({
    kind: z.literal('files'),
    text: z.string().max(200_000),
    replyTo: z.string().max(100).optional(),
    isShared: z.boolean().optional(),
    privately: z.string().max(100).optional(),
  }),
  z.strictObject({
    kind: z.literal('tap'),
    approvalId: z.uuid(),
    action: z.enum(['approve', 'always', ...grantEnds, 'deny', 'just_deny', 'edit']),
    /** The platform's id of the message below which the button is. */
    messageId: z.string().max(100),
    /** Whether the platform says that the button is there. */
    isThere: z.boolean().optional(),
    /** What was written into the form that the button opened. */
    written: z.string().max(64_000).optional(),
  }),
  z.strictObject({
    kind: z.literal('batch'),
    batchId: z.uuid(),
    action: z.enum(batchActions),
    /** As above; a terminal has no messages. */
    messageId: z.string().max(100).optional(),
    isThere: z.boolean().optional(),
  }),
  z.strictObject({
    kind: z.literal('revoke'),
    grant: z.strictObject({ kind: z.enum(['session', 'file']), id: z.uuid() }),
    /** As above. */
    messageId: z.string().max(100),
    isThere: z.boolean().optional(),
  }),
  z.strictObject({ kind: z.literal('decision'), approvalId: z.uuid(), decision }),
  z.strictObject({ kind: z.literal('shell'), command: z.string().min(1).max(64_000) }),
  z.strictObject({
    kind: z.literal('feedback'),
    turnId: z.uuid(),
    verdict: z.enum(feedbackVerdicts),
  }),
  /** Of the turn of its button, or else of the one that runs, and ran when it was pressed. */
  z.strictObject({
    kind: z.literal('stop'),
    turnId: z.uuid().optional(),
    turnNumber: z.int().positive().optional(),
    /** In milliseconds since 1970. */
    pressedAt: z.int().positive().optional(),
  }),
])
export type InboundBody = z.infer<typeof inboundBody>

/** An update as an adapter hands it over; `externalId` is the platform's own id of it, the key of de-duplication. */
export interface Inbound {
  readonly platform: string
  readonly externalId: string
  /** The conversation's id on the platform. */
  readonly conversation: string
  readonly callerId: string
  readonly body: InboundBody
}
