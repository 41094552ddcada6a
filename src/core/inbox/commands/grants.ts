import { findFileGrant, requestRules } from '../../../db/approval/file-grants.ts'
import { findLiveGrants } from '../../../db/approval/grants.ts'
import { may } from '../../../domain/rights.ts'
import { listSessionGrants } from '../../approval/list-grants.ts'
import { takeBack } from '../../approval/revoke-grant.ts'
import {
  type CommandContext,
  privateConversation,
  reply,
  replyAlone,
  replyPrivately,
} from './command.ts'

const usage = 'Usage: /grants, or /revoke n with a number that /grants tells'

/** APPR-15: what was allowed with an end or with *Always*, and for whom may: also what everybody may because of it. */
export async function grants(
  context: CommandContext,
  _text: string,
  words: readonly string[],
): Promise<void> {
  const [word = '', number] = words
  if (word.toLowerCase() === 'revoke') return takeBackNumber(context, number)
  if (word !== '') return replyAlone(context, usage)
  const { db, after, session, caller } = context
  const seesAll = may(caller, 'see_rules')
  const list = await listSessionGrants(db, session.id, seesAll ? undefined : caller.id)
  await replyPrivately(context, list)
  if (!seesAll) return
  const conversationId = await privateConversation(context)
  if (conversationId === undefined) return
  await requestRules(db, { sessionId: session.id, conversationId, callerId: caller.id })
  after.orderRules()
}

/** `/revoke n`. */
export function revoke(
  context: CommandContext,
  _text: string,
  words: readonly string[],
): Promise<void> {
  return takeBackNumber(context, words[0])
}

async function takeBackNumber(context: CommandContext, word = ''): Promise<void> {
  const { ctx, db, session, caller } = context
  const [, isFiles, digits] = /^(w?)(\d{1,9})$/i.exec(word) ?? []
  if (digits === undefined) return replyAlone(context, usage)
  if (isFiles !== '') return takeOut(context, Number(digits))
  const [grant] = await findLiveGrants(db, session.id, { number: Number(digits) })
  if (grant === undefined)
    return replyAlone(context, `There is no grant ${digits} that still holds.`)
  const { text } = await takeBack(ctx, db, grant, caller)
  await reply(context, text)
}

async function takeOut(context: CommandContext, number: number): Promise<void> {
  const { db, after, session, caller } = context
  if (!may(caller, 'allow_for_everybody')) {
    return replyAlone(
      context,
      'Only an approver or operator can take out what holds for everybody.',
    )
  }
  const rule = await findFileGrant(db, { worker: session.worker, number })
  if (rule === undefined)
    return replyAlone(context, `There is no rule w${number}. /grants lists them.`)
  const order = { sessionId: session.id, callerId: caller.id, fileGrantId: rule.id }
  await requestRules(db, { ...order, conversationId: context.conversation.id })
  after.orderRules()
}
