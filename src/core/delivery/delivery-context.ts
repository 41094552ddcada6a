import {
  insertBatchTokens,
  insertFeedbackTokens,
  insertRevokeTokens,
  insertTokens,
} from '../../db/approval/callback-tokens.ts'
import { saveParts } from '../../db/outbox/outbox.ts'
import type { ClaimedMessage } from '../../db/outbox/outbox-claims.ts'
import { findReplyPath } from '../../db/outbox/reply-paths.ts'
import type { Db } from '../../db/schema.ts'
import { readAttachment } from '../../db/upload/attachments.ts'
import {
  type ApprovalAction,
  type BatchAction,
  type FeedbackVerdict,
  feedbackVerdicts,
} from '../../domain/approval.ts'
import type { DeliveryContext } from '../../ports/chat.ts'
import { sha256 } from '../../util/digest.ts'
import { newToken } from '../../util/ids.ts'
import { readTexts } from '../stored.ts'
import { retryThroughOutage } from '../transaction.ts'

interface Ids {
  readonly editOf: string | undefined
  readonly liveMessageId: string | undefined
}

/** Builds the context an adapter may use to send one outbox message. */
export function deliveryContext(db: Db, row: ClaimedMessage, ids: Ids): DeliveryContext {
  const sentParts = readTexts(row.parts)
  const parts = [...sentParts]
  return {
    ...(ids.editOf === undefined ? {} : { editOf: ids.editOf }),
    ...(ids.liveMessageId === undefined ? {} : { liveMessageId: ids.liveMessageId }),
    sentParts,
    onPart: async (messageId, count = 1) => {
      parts.push(...Array<string>(count).fill(messageId))
      await retryThroughOutage(() => saveParts(db, row.id, parts))
    },
    mintTokens: async (approvalId, actions) => {
      const { tokens, known } = mint(actions)
      await insertTokens(db, { approvalId, conversationId: row.conversation_id }, known)
      return byAction(tokens)
    },
    mintBatchTokens: async (batchId, actions) => {
      const { tokens, known } = mint(actions)
      await insertBatchTokens(db, { batchId, conversationId: row.conversation_id }, known)
      return byAction(tokens)
    },
    mintRevokeTokens: async (grants) => {
      const tokens = grants.map((grant) => ({ grant, token: newToken() }))
      const known = tokens.map(({ grant, token }) => ({ grant, sha256: sha256(token) }))
      await insertRevokeTokens(db, row.conversation_id, known)
      return tokens.map(({ token }) => token)
    },
    ...replyPathOf(db, row),
    mintFeedbackTokens: async (turnId) => {
      const { tokens, known } = mint(feedbackVerdicts)
      await insertFeedbackTokens(db, { turnId, conversationId: row.conversation_id }, known)
      return byAction(tokens)
    },
    readAttachment: async (id) => {
      const content = await readAttachment(db, id)
      if (content === undefined) throw new Error('the file of this message was deleted')
      return content
    },
  }
}

/** Only replies may use a reply path, and only that of their addressee. */
function replyPathOf(
  db: Db,
  { conversation_id, addressee }: ClaimedMessage,
): Pick<DeliveryContext, 'replyPath'> {
  if (addressee === null) return {}
  return {
    replyPath: async () => {
      const path = await findReplyPath(db, conversation_id, addressee)
      return path === undefined ? undefined : { sealed: path.sealed, callerId: path.caller_id }
    },
  }
}

type MintedAction = ApprovalAction | BatchAction | FeedbackVerdict

function mint<Action extends MintedAction>(actions: readonly Action[]) {
  const tokens = actions.map((action) => ({ action, token: newToken() }))
  return { tokens, known: tokens.map(({ action, token }) => ({ action, sha256: sha256(token) })) }
}

function byAction<Action extends MintedAction>(
  tokens: readonly { readonly action: Action; readonly token: string }[],
): Readonly<Record<Action, string>> {
  const found: Partial<Record<Action, string>> = {}
  for (const { action, token } of tokens) found[action] = token
  return found as Record<Action, string>
}
