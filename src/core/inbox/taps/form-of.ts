import { z } from 'zod'
import { findApproval } from '../../../db/approval/approvals.ts'
import { areButtonsNew, findToken } from '../../../db/approval/callback-tokens.ts'
import { findTapAnswer } from '../../../db/outbox/inbox.ts'
import type { Db } from '../../../db/schema.ts'
import { getConversation } from '../../../db/turn/conversations.ts'
import type { ButtonAction } from '../../../domain/approval.ts'
import { chatOf } from '../../../domain/caller.ts'
import { grantEnds } from '../../../domain/grant-life.ts'
import type { Incoming, TapAnswer, TapForm } from '../../../ports/chat.ts'
import { sha256 } from '../../../util/digest.ts'
import { formFor } from '../../approval/decide/edit-call.ts'
import type { CoreContext } from '../../context.ts'
import { admit } from '../../people/people.ts'

const tapAnswer = z.strictObject({ text: z.string(), alert: z.boolean() })

/**
 * Returns the form that a tap opens first, on platforms with forms: for a reason or an edited call. Undefined: none, or the
 * person may not, which the tap's answer says. The submitted form is a tap like any other and checked again.
 */
export async function formOf(ctx: CoreContext, incoming: Incoming): Promise<TapForm | undefined> {
  const { db } = ctx
  const { act } = incoming
  if (act.kind !== 'tap' || act.written !== undefined) return undefined
  const button = await findButton(db, incoming, act.token)
  const approvalId = button?.approval_id ?? undefined
  if (button === undefined || approvalId === undefined) return undefined
  const approval = await findApproval(db, approvalId)
  const caller = approval === undefined ? undefined : await admit(ctx, db, incoming)
  if (approval === undefined || caller === undefined) return undefined
  return formFor({ ctx, db }, approval, caller, button.action)
}

export type Button = NonNullable<Awaited<ReturnType<typeof findToken>>>

/** Finds our button with this token, if it was made for the chat of the tap (THREAT-8). */
export async function findButton(
  db: Db,
  { platform, place }: Pick<Incoming, 'platform' | 'place'>,
  token: string,
): Promise<Button | undefined> {
  const button = await findToken(db, sha256(token))
  if (button === undefined) return undefined
  const shownIn = await getConversation(db, button.conversation_id)
  const isHere = shownIn.platform === platform && chatOf(shownIn.external_id) === chatOf(place)
  return isHere ? button : undefined
}

/** Reads the stored answer to a tap; undefined: none, or not handled yet. */
export async function readTapAnswer(db: Db, eventId: string): Promise<TapAnswer | undefined> {
  const stored = await findTapAnswer(db, eventId)
  return stored === undefined ? undefined : tapAnswer.parse(JSON.parse(stored))
}

/** Time in milliseconds after a change of a card's buttons within which none of them grants. */
const settleMs = 1_500

const granting: ReadonlySet<ButtonAction> = new Set([
  'approve',
  'always',
  ...grantEnds,
  'approve_all',
  'approve_group',
] as const)

export function tooEarly({ messages }: Pick<CoreContext, 'messages'>): TapAnswer {
  return { text: messages.inbox.buttonsChanged, alert: true }
}

/**
 * CARD-03: whether a tap would grant by a button that an edit has put where another one was so lately that the tap may have been
 * meant for that one: the second of a double tap, or one that crosses with another person's.
 */
export async function isEarly(db: Db, button: Button, messageId: string): Promise<boolean> {
  return granting.has(button.action) && (await areButtonsNew(db, button, messageId, settleMs))
}
