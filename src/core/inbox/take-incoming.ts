import { isAlbumTaken } from '../../db/outbox/inbox.ts'
import { findCallerHere } from '../../db/people/callers.ts'
import { findPin, pinUsername, releaseUsername } from '../../db/people/username-pins.ts'
import { findConversation } from '../../db/turn/conversations.ts'
import { groupAnswers } from '../../domain/approval.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Incoming, IncomingAct, TapAnswer } from '../../ports/chat.ts'
import { assertNever } from '../../util/guards.ts'
import { record } from '../audit/record.ts'
import type { CoreContext } from '../context.ts'
import { admit, isOfOtherTeam, listedPeople } from '../people/people.ts'
import { transact } from '../transaction.ts'
import { conversationHere, type IntakeTransaction, storeEvent, type Taken } from './store-event.ts'
import { takeMessage } from './take-message.ts'
import { type Button, findButton, isEarly } from './taps/form-of.ts'

/**
 * Takes in every update of a chat platform: an admitted caller's is stored before it is confirmed (LOOP-04), all others are not
 * (CHAT-01).
 */
export async function takeIncoming(ctx: CoreContext, incoming: Incoming): Promise<Taken> {
  if (!(await isForUs(ctx, incoming))) return { kind: 'not_taken' }
  await pinUsernameOf(ctx, incoming)
  return transact(ctx, async (tx) => {
    const here = await findCallerHere(tx.db, incoming.from.id, incoming)
    const intake = { ...tx, incoming, here }
    const caller = await admit(ctx, tx.db, incoming, here)
    const { act } = incoming
    return takeAct(intake, caller, act)
  })
}

function takeAct(
  tx: IntakeTransaction,
  caller: Caller | undefined,
  act: IncomingAct,
): Promise<Taken> {
  switch (act.kind) {
    case 'message':
      return takeMessage(tx, caller, act)
    case 'tap':
      return takeTap(tx, caller, act)
    case 'stop':
      return takeStop(tx, caller, act)
    default:
      return assertNever(act)
  }
}

type Tap = Extract<IncomingAct, { kind: 'tap' }>

/** THREAT-8: checks that the button is one of ours, in its own chat; the right to tap is checked when it is handled. */
async function takeTap(
  tx: IntakeTransaction,
  caller: Caller | undefined,
  { token, messageId, isThere, written }: Tap,
): Promise<Taken> {
  if (caller === undefined)
    return { kind: 'not_taken', answer: refusal(tx.ctx.messages.inbox.mayNotAnswer) }
  const { db, incoming } = tx
  const button = await findButton(db, incoming, token)
  if (button === undefined)
    return { kind: 'not_taken', answer: refusal(tx.ctx.messages.inbox.buttonGone) }
  const said = isThere === undefined ? {} : { isThere }
  const form = written === undefined ? {} : { written }
  const early = (await isEarly(db, button, messageId)) ? { isEarly: true } : {}
  const below = { messageId, ...said, ...early, ...form }
  return storeEvent(tx, button.conversation_id, actOf(button, below))
}

async function takeStop(
  tx: IntakeTransaction,
  caller: Caller | undefined,
  act: Extract<IncomingAct, { kind: 'stop' }>,
): Promise<Taken> {
  if (caller === undefined)
    return { kind: 'not_taken', answer: refusal(tx.ctx.messages.inbox.mayNotAnswer) }
  const { id } = await conversationHere(tx)
  return storeEvent(tx, id, act)
}

function refusal(text: string): TapAnswer {
  return { text, alert: true }
}

type Tapped = Omit<Tap, 'kind' | 'token'> & { readonly isEarly?: boolean }

function actOf(button: Button, { written, ...below }: Tapped) {
  const { approval_id: approvalId, batch_id: batchId, grant_id, file_grant_id, action } = button
  if (button.turn_id !== null) {
    const { turn_id: turnId } = button
    return action === 'stop'
      ? { kind: action, turnId }
      : { kind: 'feedback', turnId, verdict: action }
  }
  if (approvalId !== null && groupAnswers.some((answer) => answer === action))
    return { kind: 'group', approvalId, action, ...below }
  if (approvalId !== null) return { kind: 'tap', approvalId, action, ...below, written }
  if (batchId !== null) return { kind: 'batch', batchId, action, ...below }
  const grant =
    grant_id === null ? { kind: 'file', id: file_grant_id } : { kind: 'session', id: grant_id }
  return { kind: 'revoke', grant, ...below }
}

/**
 * CHAT-07: whether an update is for us: addressed to us, or part of an album already taken. Nothing else is inspected or stored.
 */
async function isForUs(
  { db }: Pick<CoreContext, 'db'>,
  { platform, place, from, act }: Incoming,
): Promise<boolean> {
  if (act.kind !== 'message' || act.ifAlbumTaken !== true) return true
  const conversation = await findConversation(db, platform, place)
  if (conversation === undefined || act.album === undefined) return false
  return isAlbumTaken(db, act.album, { conversationId: conversation.id, callerId: from.id })
}

/**
 * THREAT-7: pins a configured username to the first account that uses it, whatever its later name, since usernames can be given
 * up and taken.
 */
async function pinUsernameOf(ctx: CoreContext, { platform, from }: Incoming) {
  const username = from.username?.toLowerCase()
  if (username === undefined || !isListed(ctx, platform, username)) return
  const owner = await findPin(ctx.db, platform, username)
  // A name pinned in a workspace no longer served is free.
  const isFree = owner === undefined || (await isOfOtherTeam(ctx.db, owner))
  if (!isFree) return
  await transact(ctx, async (tx) => {
    if (owner !== undefined) await releaseUsername(tx.db, platform, username, owner)
    if (!(await pinUsername(tx.db, platform, username, from.id))) return
    const note = `is from now on the ${username} of the ${platform} configuration`
    await record(tx.db, { kind: 'command', chain: 'system', caller_id: from.id, note })
  })
}

function isListed({ people }: CoreContext, platform: string, username: string): boolean {
  const lists = people[platform]
  if (lists === undefined) return false
  return listedPeople(platform, lists).some(
    ({ person }) => person.kind === 'username' && person.username === username,
  )
}
