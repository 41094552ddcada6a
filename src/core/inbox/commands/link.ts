import { findAccounts } from '../../../db/people/caller-links.ts'
import {
  deleteLinkCodes,
  deleteOldPairing,
  insertCode,
  lockPairing,
} from '../../../db/people/pairing.ts'
import { sha256 } from '../../../util/digest.ts'
import { record } from '../../audit/record.ts'
import { post } from '../../outbox/post.ts'
import { drawCode, groupCode } from '../pairing/pairing-code.ts'
import { type CommandTransaction, reply } from './command.ts'
import { isPrivate } from './is-private.ts'

/** Lifetime of a code in minutes. */
const minutes = 10
const privateOnly =
  'Write /link to me in a private chat: whoever reads the code could pass for you.'

/**
 * CHAT-01: creates a one-time code to link the caller's other account, replacing earlier codes. Sent from there in private, it
 * proves that one person holds both accounts.
 */
export async function link(tx: CommandTransaction): Promise<void> {
  const { db, conversation, caller } = tx
  if (!(await isPrivate(tx))) return reply(tx, privateOnly)
  const symbols = drawCode()
  await deleteOldPairing(db)
  await lockPairing(db)
  await deleteLinkCodes(db, caller.id)
  await insertCode(db, { sha256: sha256(symbols), links: caller.id, minutes })
  const note = `made a code that links another account with this one, good for ${minutes} min`
  await record(db, { kind: 'command', chain: 'system', caller_id: caller.id, note })
  const text = wordsOf(symbols, await findAccounts(db, caller.id))
  await post(tx, conversation.id, { kind: 'notice', text, isSecret: true }, { to: caller.id })
}

function wordsOf(symbols: string, accounts: ReadonlySet<string>): string {
  const lines = [
    groupCode(symbols),
    '',
    `Send this code to me from your other account, in a private chat, after /link, within ${minutes} minutes. I ask there whether you mean it. It works once.`,
    'From then on both accounts are one person: either answers for both, they count once, and each keeps its own role.',
    'Show it to nobody: whoever sends it passes for you. Only whoever runs this bot can end a link.',
  ]
  if (accounts.size === 1) return lines.join('\n')
  return [...lines, '', `Linked already: ${[...accounts].sort().join(', ')}.`].join('\n')
}
