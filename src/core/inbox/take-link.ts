import { linkAccounts } from '../../db/caller-links.ts'
import { lockPairing } from '../../db/pairing.ts'
import { findReach } from '../../db/reach.ts'
import type { Caller } from '../../domain/caller.ts'
import { record } from '../audit/record.ts'
import { findAnswerer } from '../kernel/find-answerer.ts'
import { notice } from '../outbox/post.ts'
import type { IntakeContext } from './intake-context.ts'

const ownAccount =
  'This is the account that the code was made for: it is to be sent from your other one. It is void now; /link makes a new one.'
const already = 'These two accounts are linked already.'

/**
 * CHAT-01: somebody sent, in private, a code that was made for another account: whoever holds both is one person. The code is
 * used up, whatever comes of it. Answers the words for whoever sent it; undefined: it is refused, as any code that is not good.
 */
export async function takeLink(
  context: IntakeContext,
  caller: Caller | undefined,
  { links, created_at }: { readonly links: string; readonly created_at: Date },
): Promise<string | undefined> {
  const { kernel, db, incoming } = context
  const note = (text: string): Promise<void> =>
    record(db, { kind: 'command', chain: 'system', caller_id: incoming.from.id, note: text })
  const made = `the code made at ${created_at.toISOString()}`
  const maker = await findAnswerer(kernel, db, links)
  if (caller === undefined || maker === undefined) {
    await note(`not linked with ${links}: one of them may not talk here; ${made} is void`)
    return undefined
  }
  if (maker.id === caller.id) return ownAccount
  await lockPairing(db)
  if (!(await linkAccounts(db, [maker.id, caller.id], caller.id))) return already
  await note(`linked with ${links}, one person from now on, by ${made}`)
  await tellMaker(context, maker, caller)
  return `Linked. ${onePerson(maker)}`
}

/** Whoever lost the code to somebody else learns of it. */
async function tellMaker(
  { db, after }: IntakeContext,
  maker: Caller,
  caller: Caller,
): Promise<void> {
  const reach = (await findReach(db, [maker.id])).find(({ id }) => id === maker.id)
  const conversationId = reach?.conversationId ?? undefined
  if (conversationId === undefined) return
  const text = `Your code was used. ${onePerson(caller)} If that is not you, tell whoever runs this bot at once: they can end it.`
  await notice(db, after, conversationId, text)
}

function onePerson({ id, name }: Caller): string {
  return `This account and ${name}’s (${id}) are one person to me from now on: either answers for both, they count once, and each keeps its own role.`
}
