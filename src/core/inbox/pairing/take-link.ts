import { findReach } from '../../../db/outbox/reach.ts'
import { findAccounts, linkAccounts } from '../../../db/people/caller-links.ts'
import { type LinkCode, lockPairing, recordAsked, useCode } from '../../../db/people/pairing.ts'
import { type Caller, platformOf } from '../../../domain/caller.ts'
import { platformFacts, spaceBeforeSlash } from '../../../domain/chat-platforms.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import { sha256 } from '../../../util/digest.ts'
import { record } from '../../audit/record.ts'
import { findAnswerer } from '../../people/people.ts'
import { notice } from '../../transaction.ts'
import type { IntakeTransaction } from '../store-event.ts'
import { type CodeText, groupCode } from './pairing-code.ts'

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
  const { people } = ctx.messages
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
    return { text: isOwn ? people.linkOwnAccount : people.alreadyLinked }
  }
  if (code.link === undefined) return { text: tellUse(ctx.messages, code.symbols), isSecret: true }
  if (code.link === 'yes' && known.asked === caller.id) return linkBoth(tx, caller, maker, code)
  await recordAsked(db, digest, caller.id)
  return { text: askToLink(ctx.messages, maker, code.symbols), isSecret: true }
}

async function linkBoth(
  tx: IntakeTransaction,
  caller: Caller,
  maker: Caller,
  { symbols }: CodeText,
): Promise<LinkReply | undefined> {
  const { ctx, db } = tx
  const { people } = ctx.messages
  const code = await useCode(db, sha256(symbols), caller.id)
  if (code === undefined) return undefined
  await lockPairing(db)
  if (!(await linkAccounts(db, [maker.id, caller.id], caller.id)))
    return { text: people.alreadyLinked }
  await note(tx, `linked with ${maker.id}, one person from now on, by ${madeAt(code)}`)
  await notifyMaker(tx, maker, caller)
  return { text: people.linkedHere({ ...maker, command: unlinking(caller) }) }
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
  const { ctx, db } = tx
  const reach = (await findReach(db, [maker.id])).find(({ id }) => id === maker.id)
  const conversationId = reach?.conversationId ?? undefined
  if (conversationId === undefined) return
  await notice(
    tx,
    conversationId,
    ctx.messages.people.linkedThere({ ...caller, command: unlinking(maker) }),
  )
}

/** Warns a person who sent a code without asking to link, as people can be tricked into that. */
function tellUse(messages: Messages, symbols: string): string {
  return withCommand(messages, messages.people.linkExplained, groupCode(symbols))
}

function askToLink(messages: Messages, { id, name }: Caller, symbols: string): string {
  const { title, isLocal } = platformFacts(platformOf(id))
  const { linkConfirm, terminal } = messages.people
  const text = linkConfirm({ name, id, platform: isLocal === true ? terminal : title })
  return withCommand(messages, text, `${groupCode(symbols)} yes`)
}

/** The command to write stands alone on its line. */
function withCommand({ people }: Messages, text: string, code: string): string {
  const hints = spaceBeforeSlash.map((platform) => people.slashHint({ platform }))
  return [text, '', `/link ${code}`, '', ...hints].join('\n')
}

function unlinking({ id }: Caller): string {
  return `countersign pair unlink ${id}`
}
