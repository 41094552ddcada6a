import { findAccounts } from '../../../db/people/caller-links.ts'
import {
  deleteLinkCodes,
  deleteOldPairing,
  insertCode,
  lockPairing,
} from '../../../db/people/pairing.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import { sha256 } from '../../../util/digest.ts'
import { record } from '../../audit/record.ts'
import { post } from '../../transaction.ts'
import { drawCode, groupCode } from '../pairing/pairing-code.ts'
import { type CommandTransaction, reply } from './command.ts'
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
