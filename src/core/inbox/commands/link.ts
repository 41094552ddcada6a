import { escalateNow } from '../../../db/approval/due-approvals.ts'
import { endAway, findReach, startAway } from '../../../db/outbox/reach.ts'
import { findAccounts } from '../../../db/people/caller-links.ts'
import {
  deleteLinkCodes,
  deleteOldPairing,
  insertCode,
  lockPairing,
} from '../../../db/people/pairing.ts'
import { may } from '../../../domain/caller.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import { sha256 } from '../../../util/digest.ts'
import { record } from '../../audit/record.ts'
import { post } from '../../transaction.ts'
import { drawCode, groupCode } from '../pairing/pairing-code.ts'
import { type CommandTransaction, noteCommand, reply, replyAlone } from './command.ts'
import { isPrivate } from './is-private.ts'

/** Lifetime of a code in minutes. */
const minutes = 10

/**
 * CHAT-01: creates a one-time code to link the caller's other account, replacing earlier codes. Sent from there in private, it
 * proves that one person holds both accounts.
 */
export async function link(tx: CommandTransaction): Promise<void> {
  const { ctx, db, conversation, caller } = tx
  if (!(await isPrivate(tx))) return reply(tx, ctx.messages.people.linkPrivately)
  const symbols = drawCode()
  await deleteOldPairing(db)
  await lockPairing(db)
  await deleteLinkCodes(db, caller.id)
  await insertCode(db, { sha256: sha256(symbols), links: caller.id, minutes })
  const note = `made a code that links another account with this one, good for ${minutes} min`
  await record(db, { kind: 'command', chain: 'system', caller_id: caller.id, note })
  const text = wordsOf(ctx.messages, symbols, await findAccounts(db, caller.id))
  await post(tx, conversation.id, { kind: 'notice', text, isSecret: true }, { to: caller.id })
}

function wordsOf({ people }: Messages, symbols: string, accounts: ReadonlySet<string>): string {
  const linked = [...accounts].sort().join(', ')
  return [
    groupCode(symbols),
    '',
    people.linkCode({ minutes }),
    people.linkMeaning,
    people.linkSecret,
    ...(accounts.size === 1 ? [] : ['', people.linkedTo({ accounts: linked })]),
  ].join('\n')
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const longestMs = 366 * 86_400_000

/** APPR-19: marks an approver as away: cards skip them, and the next people are asked at once about those already sent. */
export async function away(tx: CommandTransaction, text: string): Promise<void> {
  const { ctx, db, caller } = tx
  const { escalateTo } = ctx.settings.routing
  const messages = ctx.messages.commands.away
  if (!may(caller, 'decide_for_others') && !escalateTo.includes(caller.id)) {
    return replyAlone(tx, messages.approversOnly)
  }
  const forMs = text === '' ? undefined : toMilliseconds(text)
  if (text !== '' && forMs === undefined) return replyAlone(tx, messages.usage)
  const until = await startAway(db, caller.id, forMs)
  const handedOver = await handOverOf(tx, escalateTo.length)
  await noteCommand(tx, until === undefined ? '/away' : `/away until ${until.toISOString()}`)
  const handed = handedOver === 0 ? messages.next : messages.nextAlso({ count: handedOver })
  const next = escalateTo.length === 0 ? messages.nobodyNext : handed
  const told =
    until === undefined
      ? messages.untilBack({ next })
      : messages.until({ time: ctx.messages.clock.day(until, new Date()), next })
  await reply(tx, told)
}

export async function back(tx: CommandTransaction): Promise<void> {
  const { ctx, db, caller } = tx
  const messages = ctx.messages.commands.away
  if (!(await endAway(db, caller.id))) return replyAlone(tx, messages.notAway)
  await noteCommand(tx, '/back')
  await reply(tx, messages.back)
}

/** Escalates the approvals sent to them in private and returns their number. */
async function handOverOf(tx: CommandTransaction, mostAsked: number): Promise<number> {
  const { db, caller } = tx

  const own = (await findReach(db, [caller.id])).find(({ id }) => id === caller.id)
  if (own === undefined || own.conversationId === null) return 0
  return escalateNow(db, own.conversationId, mostAsked)
}

function toMilliseconds(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,5})\s*([mhd])$/i.exec(text) ?? []
  const ms = Number(count) * (unitMs[unit.toLowerCase()] ?? 0)
  return ms > 0 && ms <= longestMs ? ms : undefined
}
