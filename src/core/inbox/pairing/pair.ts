import { savePrivateConversation } from '../../../db/outbox/reach.ts'
import {
  findKnownCaller,
  savePairedRole,
  takeUnknownCallerReply,
} from '../../../db/people/callers.ts'
import {
  countTry,
  findLinkCode,
  forgetTry,
  hasUsedCode,
  useCode,
} from '../../../db/people/pairing.ts'
import { ensureConversation } from '../../../db/turn/conversations.ts'
import type { Caller, Role } from '../../../domain/caller.ts'
import { sha256 } from '../../../util/digest.ts'
import { record } from '../../audit/record.ts'
import { admit, highestRole } from '../../people/people.ts'
import { post } from '../../transaction.ts'
import { answerHere, conversationHere, type IntakeTransaction } from '../store-event.ts'
import type { CodeText, PairingText } from './pairing-code.ts'
import { takeLink } from './take-link.ts'

const tellingsPerHour = 30

/** Failed tries allowed within a day; further codes are not looked up. */
export const tryLimits = { ofPerson: 5, ofAll: 50 } as const

/**
 * CHAT-01: handles a pairing code, which is never stored: not in the inbox, the transcript or the audit. `caller` is undefined
 * for a stranger.
 */
export async function takePairing(
  tx: IntakeTransaction,
  caller: Caller | undefined,
  pairing: PairingText,
): Promise<void> {
  const { isPrivate } = tx.incoming
  if (isPrivate && pairing.kind === 'code') return tryCode(tx, caller, pairing)
  if (!isPrivate && pairing.symbols !== undefined) await spoil(tx, pairing.symbols)
  // Strangers in a group get no reply.
  if (caller === undefined) return replyToStranger(tx)
  const { codeGarbled, codeVoid, privateOnly } = tx.ctx.messages.people
  const refused = pairing.symbols === undefined ? privateOnly : `${privateOnly} ${codeVoid}`
  await answerHere(tx, isPrivate ? codeGarbled : refused)
}

/** Voids a code that other people could read, as the first to send it would be admitted. */
async function spoil(tx: IntakeTransaction, symbols: string): Promise<void> {
  const { db, incoming } = tx

  const code = await useCode(db, sha256(symbols), 'nobody: it was shown to others')
  if (code === undefined) return
  const purpose = code.role === null ? `a link with ${code.links}` : `the role ${code.role}`
  const note = `a pairing code for ${purpose} was shown to others and is void`
  await record(db, { kind: 'command', chain: 'system', caller_id: incoming.from.id, note })
}

/** Counts the try first; codes beyond the limits are not looked up. */
async function tryCode(
  tx: IntakeTransaction,
  caller: Caller | undefined,
  pairing: CodeText,
): Promise<void> {
  const { ctx, db, incoming } = tx
  const { id } = incoming.from
  const tried = await countTry(db, id, tryLimits)
  if (tried === undefined) {
    ctx.log.warn({ caller: id }, 'too many pairing tries; code not checked')
    return caller === undefined
      ? replyToStranger(tx, ctx.messages.people.codeInvalid)
      : refuse(tx, caller)
  }
  const digest = sha256(pairing.symbols)
  const link = await findLinkCode(db, digest)
  if (link !== undefined) {
    const words = await takeLink(tx, caller, pairing, link)
    if (words === undefined) return refuse(tx, caller)
    await forgetTry(db, tried)
    const { id: here } = await conversationHere(tx)
    await post(tx, here, { kind: 'notice', ...words })
    return
  }
  const code = await useCode(db, digest, id)
  if (code !== undefined && code.role !== null) {
    await forgetTry(db, tried)
    return welcome(tx, code)
  }
  // A platform may deliver the same message twice.
  if (await hasUsedCode(db, digest, id)) return answerHere(tx, ctx.messages.people.codeUsed)
  await refuse(tx, caller)
}

function refuse(tx: IntakeTransaction, caller: Caller | undefined): Promise<void> {
  const { codeInvalid, notACode } = tx.ctx.messages.people
  return answerHere(tx, caller === undefined ? codeInvalid : `${codeInvalid} ${notACode}`)
}

async function welcome(
  tx: IntakeTransaction,
  code: { readonly role: Role; readonly created_at: Date },
): Promise<void> {
  const { ctx, db, incoming } = tx
  const { id, name } = incoming.from
  const known = await findKnownCaller(db, id)
  const paired = highestRole(known?.pairedRole, code.role) ?? code.role
  await savePairedRole(db, { id, name: name.toWellFormed() }, paired)
  const caller = await admit(ctx, db, incoming)
  if (caller === undefined) throw new Error('a caller who was just paired is not admitted')
  const note = `paired as ${code.role}, by the code made at ${code.created_at.toISOString()}`
  await record(db, { kind: 'command', chain: 'system', caller_id: id, note })
  const { id: here } = await ensureConversation(db, incoming.platform, incoming.place)
  await savePrivateConversation(db, id, here)
  const { people } = ctx.messages
  const { name: welcomed, role } = caller
  const abilities = people.abilities[role]
  await answerHere(tx, people.welcome({ name: welcomed, abilities, role }))
}

/**
 * CHAT-01: replies to a stranger once, in private only, at most once a day each and 30 times an hour in all. Their message is not
 * stored and starts nothing.
 */
export async function replyToStranger(
  tx: IntakeTransaction,
  text = tx.ctx.messages.people.inviteOnly,
): Promise<void> {
  const { db, incoming } = tx
  if (!incoming.isPrivate) return
  if (await takeUnknownCallerReply(db, incoming.from.id, tellingsPerHour))
    await answerHere(tx, text)
}
