import { findFileGrant, requestRules } from '../../../db/approval/file-grants.ts'
import { findLiveGrants } from '../../../db/approval/grants.ts'
import { may } from '../../../domain/caller.ts'
import { listSessionGrants, takeBack } from '../../approval/grants.ts'
import {
  type CommandTransaction,
  privateConversation,
  reply,
  replyAlone,
  replyPrivately,
} from './command.ts'

/** APPR-15: lists grants of *Always* and grants that end; people who may see rules also see what applies to everybody. */
export async function grants(
  tx: CommandTransaction,
  _text: string,
  words: readonly string[],
): Promise<void> {
  const [word = '', number] = words
  if (word.toLowerCase() === 'revoke') return takeBackNumber(tx, number)
  if (word !== '') return replyAlone(tx, tx.ctx.messages.grants.usage)
  const { db, session, caller } = tx
  const seesAll = may(caller, 'see_rules')
  const list = await listSessionGrants(
    { ctx: tx.ctx, db },
    session.id,
    seesAll ? undefined : caller.id,
  )
  await replyPrivately(tx, list)
  if (!seesAll) return
  const conversationId = await privateConversation(tx)
  if (conversationId === undefined) return
  await requestRules(db, { sessionId: session.id, conversationId, callerId: caller.id })
  tx.effects.orderRules()
}

/** Handles `/revoke n`. */
export function revoke(
  tx: CommandTransaction,
  _text: string,
  words: readonly string[],
): Promise<void> {
  return takeBackNumber(tx, words[0])
}

async function takeBackNumber(tx: CommandTransaction, word = ''): Promise<void> {
  const { ctx, db, session, caller } = tx
  const [, isFiles, digits] = /^(w?)(\d{1,9})$/i.exec(word) ?? []
  if (digits === undefined) return replyAlone(tx, tx.ctx.messages.grants.usage)
  if (isFiles !== '') return takeOut(tx, Number(digits))
  const [grant] = await findLiveGrants(db, session.id, { number: Number(digits) })
  if (grant === undefined) return replyAlone(tx, ctx.messages.grants.noNumber({ number: digits }))
  const { text } = await takeBack(ctx, db, grant, caller)
  await reply(tx, text)
}

async function takeOut(tx: CommandTransaction, number: number): Promise<void> {
  const { ctx, db, session, caller } = tx
  if (!may(caller, 'allow_for_everybody')) {
    return replyAlone(tx, ctx.messages.grants.approversOnly)
  }
  const rule = await findFileGrant(db, { worker: session.worker, number })
  if (rule === undefined) return replyAlone(tx, ctx.messages.grants.noRule({ number }))
  const order = { sessionId: session.id, callerId: caller.id, fileGrantId: rule.id }
  await requestRules(db, { ...order, conversationId: tx.conversation.id })
  tx.effects.orderRules()
}
