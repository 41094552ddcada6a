import { z } from 'zod'
import type { Db } from '../../db/schema.ts'
import { batchActions, cardViews, feedbackVerdicts, groupAnswers } from '../../domain/approval.ts'
import { grantEnds } from '../../domain/grant-life.ts'
import type { RuleLayer } from '../../rules/gate/permissions/rule.ts'
import type { CoreContext } from '../context.ts'

const decision = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('approve') }),
  z.strictObject({ kind: z.literal('always'), life: z.enum(grantEnds).optional() }),
  z.strictObject({ kind: z.literal('deny'), reason: z.string().max(4000).optional() }),
])

/** A person's action, independent of the platform. `shell` comes only from a terminal (TERM-03). */
export const inboundBody = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('message'),
    text: z.string().min(1).max(200_000),
    /** Platform's id of the message replied to. */
    replyTo: z.string().max(100).optional(),
    /** Whether other people read there. */
    isShared: z.boolean().optional(),
    /** Then: address of a private conversation with the sender, if the platform gives one. */
    privately: z.string().max(100).optional(),
  }),
  /** CHAT-07: message with files, which have rows of their own; `text` may be empty. */
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
    action: z.enum(['approve', 'always', ...grantEnds, 'deny', 'just_deny', 'edit', ...cardViews]),
    /** Platform's id of the message with the button. */
    messageId: z.string().max(100),
    /** Whether the platform confirms that the button is there. */
    isThere: z.boolean().optional(),
    /** CARD-03: it would grant, and came before anybody could read the buttons that an edit had just shown. */
    isEarly: z.boolean().optional(),
    /** Text from the form that the button opened. */
    written: z.string().max(64_000).optional(),
  }),
  z.strictObject({
    kind: z.literal('batch'),
    batchId: z.uuid(),
    action: z.enum(batchActions),
    /** As above; a terminal has no messages. */
    messageId: z.string().max(100).optional(),
    isThere: z.boolean().optional(),
    isEarly: z.boolean().optional(),
  }),
  /** CARD-04: the group of a batch card that has this approval. */
  z.strictObject({
    kind: z.literal('group'),
    approvalId: z.uuid(),
    action: z.enum(groupAnswers),
    messageId: z.string().max(100),
    isThere: z.boolean().optional(),
    isEarly: z.boolean().optional(),
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
  /** Stops the turn of its button, or the live one if it already ran when the button was pressed. */
  z.strictObject({
    kind: z.literal('stop'),
    turnId: z.uuid().optional(),
    turnNumber: z.int().positive().optional(),
    /** Milliseconds since 1970. */
    pressedAt: z.int().positive().optional(),
  }),
])
export type InboundBody = z.infer<typeof inboundBody>

/** Update from an adapter; `externalId` is the platform's id of it, the key for de-duplication. */
export interface Inbound {
  readonly platform: string
  readonly externalId: string
  /** The conversation's id on the platform. */
  readonly conversation: string
  readonly callerId: string
  readonly body: InboundBody
}

/** Dependencies for handling people's messages. */
export interface InboxContext extends CoreContext {
  /** Rules for `/permissions`; undefined: not known here. */
  readonly rules?: ShownRules
}

/** Rules shown to people; they decide nothing. */
export interface ShownRules {
  readonly operator: RuleLayer
  /** Reads a worker's rules where they are accessible; undefined: it has none yet and uses the defaults. */
  readonly read?: (db: Db, worker: string) => Promise<string | undefined>
}
