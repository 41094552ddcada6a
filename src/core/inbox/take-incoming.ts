import type { Caller } from '../../domain/caller.ts'
import type { Incoming, IncomingAct, TapAnswer } from '../../ports/chat.ts'
import { assertNever } from '../../util/assert-never.ts'
import { transact } from '../kernel/transact.ts'
import { admit } from './admit.ts'
import { conversationHere } from './answer-here.ts'
import type { IntakeContext, IntakeKernel, Taken } from './intake-context.ts'
import { isForUs } from './is-for-us.ts'
import { pinUsernameOf } from './pairing/pin-username.ts'
import { storeEvent } from './store-event.ts'
import { takeMessage } from './take-message.ts'
import { type Button, findButton } from './taps/find-button.ts'

const notYours: TapAnswer = { text: 'You may not answer this.', alert: true }
const notHere: TapAnswer = { text: 'This button is not valid here any more.', alert: true }
/**
 * The one door for chat platforms: whoever may talk gets a row in an inbox before the update is confirmed (LOOP-04), and
 * nobody else does (CHAT-01).
 */
export async function takeIncoming(kernel: IntakeKernel, incoming: Incoming): Promise<Taken> {
  if (!(await isForUs(kernel, incoming))) return { kind: 'not_taken' }
  await pinUsernameOf(kernel, incoming)
  return transact(kernel, async (db, after) => {
    const context = { kernel, db, after, incoming }
    const caller = await admit(kernel, db, incoming)
    const { act } = incoming
    return takeAct(context, caller, act)
  })
}

function takeAct(
  context: IntakeContext,
  caller: Caller | undefined,
  act: IncomingAct,
): Promise<Taken> {
  switch (act.kind) {
    case 'message':
      return takeMessage(context, caller, act)
    case 'tap':
      return takeTap(context, caller, act)
    case 'stop':
      return takeStop(context, caller, act)
    default:
      return assertNever(act)
  }
}

type Tap = Extract<IncomingAct, { kind: 'tap' }>

/** THREAT-8: who may tap is asked when it is handled; here, that the button is one of ours, in the chat it was made for. */
async function takeTap(
  context: IntakeContext,
  caller: Caller | undefined,
  { token, messageId, isThere, written }: Tap,
): Promise<Taken> {
  if (caller === undefined) return { kind: 'not_taken', answer: notYours }
  const { db, incoming } = context
  const button = await findButton(db, incoming, token)
  if (button === undefined) return { kind: 'not_taken', answer: notHere }
  const said = isThere === undefined ? {} : { isThere }
  const form = written === undefined ? {} : { written }
  return storeEvent(context, button.conversation_id, actOf(button, { messageId, ...said, ...form }))
}

async function takeStop(
  context: IntakeContext,
  caller: Caller | undefined,
  act: Extract<IncomingAct, { kind: 'stop' }>,
): Promise<Taken> {
  if (caller === undefined) return { kind: 'not_taken', answer: notYours }
  const { id } = await conversationHere(context)
  return storeEvent(context, id, act)
}

type Tapped = Omit<Tap, 'kind' | 'token'>

function actOf(button: Button, { written, ...below }: Tapped) {
  const { approval_id: approvalId, batch_id: batchId, grant_id, file_grant_id, action } = button
  if (button.turn_id !== null) {
    const { turn_id: turnId } = button
    return action === 'stop'
      ? { kind: action, turnId }
      : { kind: 'feedback', turnId, verdict: action }
  }
  if (approvalId !== null) return { kind: 'tap', approvalId, action, ...below, written }
  if (batchId !== null) return { kind: 'batch', batchId, action, ...below }
  const grant =
    grant_id === null ? { kind: 'file', id: file_grant_id } : { kind: 'session', id: grant_id }
  return { kind: 'revoke', grant, ...below }
}
