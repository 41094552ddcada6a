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

const usage = 'Usage: /grants, or /revoke n with a number that /grants tells'

/** APPR-15: lists grants of *Always* and grants that end; people who may see rules also see what applies to everybody. */
export async function grants(
  tx: CommandTransaction,
  _text: string,
  words: readonly string[],
): Promise<void> {
  const [word = '', number] = words
  if (word.toLowerCase() === 'revoke') return takeBackNumber(tx, number)
  if (word !== '') return replyAlone(tx, usage)
  const { db, session, caller } = tx
  const seesAll = may(caller, 'see_rules')
  const list = await listSessionGrants(db, session.id, seesAll ? undefined : caller.id)
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
  if (digits === undefined) return replyAlone(tx, usage)
  if (isFiles !== '') return takeOut(tx, Number(digits))
  const [grant] = await findLiveGrants(db, session.id, { number: Number(digits) })
  if (grant === undefined) return replyAlone(tx, `There is no grant ${digits} that still holds.`)
  const { text } = await takeBack(ctx, db, grant, caller)
  await reply(tx, text)
}

async function takeOut(tx: CommandTransaction, number: number): Promise<void> {
  const { db, session, caller } = tx
  if (!may(caller, 'allow_for_everybody')) {
    return replyAlone(tx, 'Only an approver or operator can take out what holds for everybody.')
  }
  const rule = await findFileGrant(db, { worker: session.worker, number })
  if (rule === undefined) return replyAlone(tx, `There is no rule w${number}. /grants lists them.`)
  const order = { sessionId: session.id, callerId: caller.id, fileGrantId: rule.id }
  await requestRules(db, { ...order, conversationId: tx.conversation.id })
  tx.effects.orderRules()
}
