import { findReach } from '../../../db/outbox/reach.ts'
import { findAccounts, linkAccounts } from '../../../db/people/caller-links.ts'
import { type LinkCode, lockPairing, recordAsked, useCode } from '../../../db/people/pairing.ts'
import { type Caller, platformOf } from '../../../domain/caller.ts'
import { platformFacts, slashHints } from '../../../domain/chat-platforms.ts'
import { sha256 } from '../../../util/digest.ts'
import { record } from '../../audit/record.ts'
import { notice } from '../../outbox/post.ts'
import { findAnswerer } from '../../people/find-answerer.ts'
import type { IntakeTransaction } from '../intake-transaction.ts'
import { type CodeText, groupCode } from './pairing-code.ts'

const ownAccount =
  'This is the account that the code was made for: it is to be sent from your other one. It is void now; /link makes a new one.'
const already = 'These two accounts are linked already.'

/** Reply to a code; secret if it contains the code. */
export interface LinkReply {
  readonly text: string
  readonly isSecret?: true
}

/**
 * CHAT-01: handles a code for another account, sent in private. Since people can be tricked into sending one, it links only after
 * they asked with `/link`, were told whose account it is and confirmed. Undefined: refused like any invalid code.
 */
export async function takeLink(
  tx: IntakeTransaction,
  caller: Caller | undefined,
  code: CodeText,
  known: LinkCode,
): Promise<LinkReply | undefined> {
  const { ctx, db, incoming } = tx
  const digest = sha256(code.symbols)
  const maker = await findAnswerer(ctx, db, known.links)
  if (caller === undefined || maker === undefined) {
    await useCode(db, digest, incoming.from.id)
    const why = `one of them may not talk here; ${madeAt(known)} is void`
    await note(tx, `not linked with ${known.links}: ${why}`)
    return undefined
  }
  const isOwn = maker.id === caller.id
  if (isOwn || (await findAccounts(db, maker.id)).has(caller.id)) {
    await useCode(db, digest, caller.id)
    return { text: isOwn ? ownAccount : already }
  }
  if (code.link === undefined) return { text: tellUse(code.symbols), isSecret: true }
  if (code.link === 'yes' && known.asked === caller.id) return linkBoth(tx, caller, maker, code)
  await recordAsked(db, digest, caller.id)
  return { text: askToLink(maker, code.symbols), isSecret: true }
}

async function linkBoth(
  tx: IntakeTransaction,
  caller: Caller,
  maker: Caller,
  { symbols }: CodeText,
): Promise<LinkReply | undefined> {
  const { db } = tx
  const code = await useCode(db, sha256(symbols), caller.id)
  if (code === undefined) return undefined
  await lockPairing(db)
  if (!(await linkAccounts(db, [maker.id, caller.id], caller.id))) return { text: already }
  await note(tx, `linked with ${maker.id}, one person from now on, by ${madeAt(code)}`)
  await notifyMaker(tx, maker, caller)
  return { text: tellLinked(maker, caller) }
}

function note(tx: IntakeTransaction, text: string): Promise<void> {
  const { db, incoming } = tx

  return record(db, { kind: 'command', chain: 'system', caller_id: incoming.from.id, note: text })
}

function madeAt({ created_at }: Pick<LinkCode, 'created_at'>): string {
  return `the code made at ${created_at.toISOString()}`
}

/** Notifies the maker, who may have lost the code to somebody else. */
async function notifyMaker(tx: IntakeTransaction, maker: Caller, caller: Caller): Promise<void> {
  const { db } = tx

  const reach = (await findReach(db, [maker.id])).find(({ id }) => id === maker.id)
  const conversationId = reach?.conversationId ?? undefined
  if (conversationId === undefined) return
  await notice(tx, conversationId, tellMakerLinked(maker, caller))
}

/** Warns a person who sent a code without asking to link, as people can be tricked into that. */
function tellUse(symbols: string): string {
  return [
    'This code links two accounts. Nothing is linked yet.',
    'With it, this account and the one that it was made for would be one person to me: whoever has that one would answer your questions as you do.',
    'Did somebody give it to you, or ask you to send it? Then stop here: they would pass for you.',
    'Did you make it yourself, by /link from your other account? Then write:',
    '',
    `/link ${groupCode(symbols)}`,
    '',
    ...slashHints,
  ].join('\n')
}

/** Asks for confirmation, naming the account and the consequences. */
function askToLink({ id, name }: Caller, symbols: string): string {
  const { title } = platformFacts(platformOf(id))
  return [
    `This code was made by ${name} on ${title} (${id}). Is that account your own?`,
    'Linked, both are one person to me: either answers the questions of both and approves for both, and they count once. Only whoever runs this bot can end that.',
    'If it is not yours, stop here: whoever has it would pass for you. If it is, write:',
    '',
    `/link ${groupCode(symbols)} yes`,
    '',
    ...slashHints,
  ].join('\n')
}

function tellLinked(maker: Caller, caller: Caller): string {
  return `Linked. ${onePerson(maker)} Whoever runs this bot can end it: ${unlinking(caller)}`
}

function tellMakerLinked(maker: Caller, caller: Caller): string {
  return `Your code was used. ${onePerson(caller)} If that is not you, tell whoever runs this bot at once. They end it: ${unlinking(maker)}`
}

function onePerson({ id, name }: Caller): string {
  return `This account and ${name}’s (${id}) are one person to me from now on: either answers for both, they count once, and each keeps its own role.`
}

function unlinking({ id }: Caller): string {
  return `countersign pair unlink ${id}`
}
