import { findFileGrant, requestRules } from '../../../db/approval/file-grants.ts'
import { findLiveGrants } from '../../../db/approval/grants.ts'
import { may } from '../../../domain/caller.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import { allowsEverything } from '../../../rules/gate/permissions/allows-everything.ts'
import { defaultPermissions } from '../../../rules/gate/permissions/default-permissions.ts'
import { readPermissions } from '../../../rules/gate/permissions/read-permissions.ts'
import type { Rule, WorkerRules } from '../../../rules/gate/permissions/rule.ts'
import { makeVisible } from '../../../rules/gate/visible.ts'
import { beginningOf } from '../../../util/text/shorten.ts'
import { listSessionGrants, takeBack } from '../../approval/grants.ts'
import {
  type CommandTransaction,
  privateConversation,
  reply,
  replyAlone,
  replyPrivately,
} from './command.ts'

/** Maximum UTF-16 units, a few chat messages. */
const maxShown = 20_000

/**
 * CHAT-03: shows what runs without approval, in private (THREAT-6). Everybody sees the layers and whether the gate is on; only
 * approvers and operators see the text of the worker's rules, which names protected paths and grants.
 */
export async function permissions(tx: CommandTransaction): Promise<void> {
  const { ctx, db, session, caller } = tx
  const messages = ctx.messages.commands.permissions
  const { operator, read } = ctx.rules ?? { operator: { rules: [] } }
  const text =
    read === undefined ? undefined : ((await read(db, session.worker)) ?? defaultPermissions)
  const worker = text === undefined ? undefined : readPermissions(text, { home: '/workspace' })
  const grants = await findLiveGrants(db, session.id, { callerId: caller.id })
  const lines = [
    messages.intro,
    '',
    messages.operator({ rules: countOf(ctx.messages, operator.rules) }),
    messages.worker({
      worker: session.worker,
      rules: worker === undefined ? messages.elsewhere : describeWorker(ctx.messages, worker),
    }),
    messages.grants({ count: grants.length }),
    ...(worker === undefined ? [] : warningsOf(ctx.messages, worker)),
  ]
  const maySee = may(caller, 'see_rules')
  if (!maySee) lines.push('', messages.approversOnly)
  const quoted = maySee ? shownText(ctx.messages, text ?? '') : ''
  await replyPrivately(tx, { text: lines.join('\n'), quoted })
}

function describeWorker(messages: Messages, worker: WorkerRules): string {
  const { damaged } = messages.commands.permissions
  return worker.kind === 'rules' ? countOf(messages, worker.rules) : damaged
}

function countOf(messages: Messages, rules: readonly Rule[]): string {
  const of = (action: Rule['action']) => rules.filter((rule) => rule.action === action).length
  const actions = { allow: of('allow'), ask: of('ask'), deny: of('deny') }
  return messages.commands.permissions.rules({ count: rules.length, ...actions })
}

/** GATE-09, GATE-10, APPR-21: returns warnings in plain words, on every call of the command. */
function warningsOf(messages: Messages, worker: WorkerRules): readonly string[] {
  const { gateOff, lineInvalid, exampleFails } = messages.commands.permissions
  if (allowsEverything(worker)) return [gateOff]
  if (worker.kind === 'damaged') return [lineInvalid({ line: worker.problems[0]?.line ?? 0 })]
  const [first] = worker.failed ?? []
  return first === undefined ? [] : [exampleFails({ line: first.line })]
}

/** Cuts the text only with a note. */
function shownText(messages: Messages, text: string): string {
  if (text.length <= maxShown) return makeVisible(text)
  const more = messages.commands.permissions.more({ count: text.length - maxShown })
  return `${makeVisible(beginningOf(text, maxShown))}\n${more}`
}

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
