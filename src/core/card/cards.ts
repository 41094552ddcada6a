import {
  findApprovalBatch,
  findMembers,
  findPendingMembers,
} from '../../db/approval/approval-batches.ts'
import { findApprovalOfCall } from '../../db/approval/approvals.ts'
import {
  type CardCopy,
  findCardCopies,
  saveCard,
  saveShownCard,
} from '../../db/approval/card-copies.ts'
import { dropPendingEdits } from '../../db/outbox/outbox.ts'
import { nameOf } from '../../db/people/callers.ts'
import type { ApprovalRow, Db, ToolCallRow } from '../../db/schema.ts'
import type { BatchCard, Card, CardStatus } from '../../domain/approval.ts'
import type { GrantEnd } from '../../domain/grant-life.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import { emptyOutput } from '../../domain/tool/tool-call.ts'
import { toolErrorCategories } from '../../domain/tool/tool-error.ts'
import type { Outgoing } from '../../ports/chat.ts'
import { makeVisible } from '../../rules/gate/visible.ts'
import { toStorable } from '../../util/text/storable.ts'
import { type Connected, post, type Transaction } from '../transaction.ts'
import { composeBatch } from './batch-card.ts'
import { readCard } from './read-card.ts'

type CardOf = Pick<ApprovalRow, 'id' | 'card' | 'batch_id'>

/** Posts a copy of the card, in the conversation of the request or another one. */
export async function postCard(
  tx: Transaction,
  approval: CardOf & Pick<ApprovalRow, 'conversation_id'>,
  conversationId = approval.conversation_id,
): Promise<void> {
  const card = readCard(approval)
  const outboxId = await post(tx, conversationId, { kind: 'card', card })
  await saveCard(tx.db, approval.id, approval.card)
  await saveShownCard(tx.db, approval.id, outboxId, 'alone')
}

/** Posts a pending approval again, on its own card or on that of its batch. */
export function postApproval(
  tx: Transaction,
  approval: CardOf & Pick<ApprovalRow, 'conversation_id'>,
  conversationId = approval.conversation_id,
): Promise<void> {
  const { batch_id } = approval
  if (batch_id !== null) return postBatch(tx, batch_id, conversationId)
  return postCard(tx, approval, conversationId)
}

/** Sets the card's status on every copy (APPR-05, APPR-13). Call in the transaction that stored the state. */
export function updateCard(tx: Transaction, approval: CardOf, status: CardStatus): Promise<void> {
  return editCard(tx, approval, { status })
}

/** Changes fields of the card on every copy. */
export async function editCard(
  tx: Transaction,
  approval: CardOf,
  change: Partial<Card>,
): Promise<void> {
  const card: Card = { ...readCard(approval), ...change }
  await saveCard(tx.db, approval.id, toStorable(JSON.stringify(card)))
  for (const copy of await findCardCopies(tx.db, approval.id)) {
    await showOnCopy(tx, copy, { kind: 'card_update', card })
  }
  if (approval.batch_id !== null) refreshBatch(tx, approval.batch_id)
}

/** Posts a card for all approvals of a batch; each counts as shown once the card is sent. */
export async function postBatch(
  tx: Transaction,
  batchId: string,
  conversationId: string,
): Promise<void> {
  const found = await readBatch(tx.db, batchId)
  if (found === undefined) return
  const outboxId = await post(tx, conversationId, { kind: 'batch', batch: found.card })
  for (const { id } of found.members) await saveShownCard(tx.db, id, outboxId, 'batch')
}

/** Updates every copy of a batch card at the end of the transaction, once (APPR-05). */
export function refreshBatch(tx: Transaction, batchId: string): void {
  tx.effects.atEnd(`batch ${batchId}`, () => postUpdates(tx, batchId))
}

async function postUpdates(tx: Transaction, batchId: string): Promise<void> {
  const found = await readBatch(tx.db, batchId)
  const [first] = found?.members ?? []
  if (found === undefined || first === undefined) return
  const message = { kind: 'batch_update', batch: found.card } as const
  for (const copy of await findCardCopies(tx.db, first.id, 'batch')) {
    await showOnCopy(tx, copy, message)
  }
}

/** Posts the latest content of one copy of a card; edits of it that were not sent yet are dropped. */
export async function showOnCopy(
  tx: Transaction,
  { outboxId, conversationId }: CardCopy,
  message: Extract<Outgoing, { kind: 'card_update' | 'batch_update' }>,
): Promise<void> {
  await dropPendingEdits(tx.db, outboxId)
  await post(tx, conversationId, message, { editOf: outboxId })
}

/** Reads a batch as it is now; undefined: it has no approvals any more. */
export async function readBatch(
  db: Db,
  batchId: string,
): Promise<{ readonly card: BatchCard; readonly members: readonly ApprovalRow[] } | undefined> {
  const batch = await findApprovalBatch(db, batchId)
  const members = await findMembers(db, batchId)
  if (batch === undefined || members.length === 0) return undefined
  return { card: composeBatch(batch, members), members }
}

/** Name of an approval in a notice. */
interface ApprovalName {
  /** Includes the other pending approvals of its batch. */
  readonly name: string
  readonly isOne: boolean
  /** Number of the only or first one. */
  readonly number: number
  /** Whether the notice is for this approval: in a batch only the first pending one gets it. */
  readonly isMentioned: boolean
}

export async function nameApproval(
  { ctx, db }: Connected,
  { number, tool, batch_id }: Pick<ApprovalRow, 'number' | 'tool' | 'batch_id'>,
): Promise<ApprovalName> {
  const waiting = batch_id === null ? [] : await findPendingMembers(db, batch_id)
  const [first = { number, tool }] = waiting
  const isMentioned = waiting.length === 0 || first.number === number
  const isOne = waiting.length < 2
  const { approvals } = ctx.messages
  const name = isOne ? approvals.name(first) : approvals.names({ numbers: numbersOf(waiting) })
  return { name, isOne, number: first.number, isMentioned }
}

/** Formats numbers as `3–10`, or `3, 5, 6` if some are missing. */
export function numbersOf(members: readonly { readonly number: number }[]): string {
  const numbers = members.map(({ number }) => number)
  const [first = 0] = numbers
  const last = numbers.at(-1) ?? first
  const isWhole = numbers.length > 2 && last - first === numbers.length - 1
  return isWhole ? `${first}–${last}` : numbers.join(', ')
}

/** Shows how a call ended on its card, if it has one (APPR-05). */
export async function showCallEnd(tx: Transaction, call: ToolCallRow): Promise<void> {
  const approval = await findApprovalOfCall(tx.db, call.id)
  if (approval?.state !== 'approved' && approval?.state !== 'granted') return
  const lastLine = lastLineOf(call)
  await updateCard(tx, approval, {
    kind: 'finished',
    ...(await deciderOf(tx, approval)),
    outcome: describeEnd(tx.ctx.messages, call),
    isSuccess: isSuccess(call),
    durationMs: call.duration_ms ?? 0,
    ...(lastLine === undefined ? {} : { lastLine }),
  })
}

/** Describes how a call ended, briefly enough for a card (CARD-05). */
export function describeEnd({ cards }: Messages, call: ToolCallRow): string {
  const { outcomes, errors, exits, failures } = cards
  const { state, envelope, exit_code, error_category } = call
  if (state === 'failed') {
    const category = toolErrorCategories.find((known) => known === error_category)
    return outcomes.failed({ why: errors[category ?? 'permanent_failure'] })
  }
  if (state === 'denied' || state === 'cancelled' || state === 'interrupted') return outcomes[state]
  if (state !== 'succeeded') return outcomes.open
  if (envelope === null) return outcomes.done
  const code = exit_code ?? 0
  if (code === 0) return outcomes.exit({ code })
  const named = Object.hasOwn(exits, code) ? exits[code as keyof typeof exits] : undefined
  const failure = commonFailure(call)
  const meaning = named ?? (failure === undefined ? undefined : failures[failure])
  return [outcomes.failedExit({ code }), ...(meaning === undefined ? [] : [meaning])].join(', ')
}

/** Messages by which programs name common failures. */
const commonFailures: readonly (readonly [RegExp, keyof Messages['cards']['failures']])[] = [
  [/no such file or directory/i, 'no_file'],
  [/permission denied|operation not permitted/i, 'no_permission'],
  [/no space left on device/i, 'disk_full'],
  [/read-only file system/i, 'read_only'],
  [
    /could not resolve host|name or service not known|temporary failure in name resolution/i,
    'no_host',
  ],
  [/connection refused/i, 'refused'],
  [/not a git repository/i, 'no_repository'],
]

/** Failure that the last lines of an output name, if it is a common one. */
function commonFailure({ output }: ToolCallRow): keyof Messages['cards']['failures'] | undefined {
  const tail = (output ?? '').slice(-400)
  return commonFailures.find(([message]) => message.test(tail))?.[1]
}

const maxLastLine = 120

/** The last line that a command printed; undefined if there is none. What other tools read is not for everybody who sees the card. */
export function lastLineOf({ envelope, output }: ToolCallRow): string | undefined {
  if (envelope === null) return undefined
  // The notes about the exit code and an empty output are ours, and the outcome tells the code.
  const tail = (output ?? '')
    .slice(-4_000)
    .trimEnd()
    .replace(/\n?\[exit code \d+\]$/, '')
    .trimEnd()
  if (tail === emptyOutput) return undefined
  const line = makeVisible(tail.slice(tail.lastIndexOf('\n') + 1).trim())
  if (line === '') return undefined
  return line.length <= maxLastLine ? line : `${line.slice(0, maxLastLine).toWellFormed()}…`
}

/** A command with a non-zero exit code ran but did not succeed. */
function isSuccess({ state, envelope, exit_code }: ToolCallRow): boolean {
  return state === 'succeeded' && (envelope === null || exit_code === 0)
}

/** Returns who decided an approval and when, for its card; `life`: when the grant ends. */
export async function deciderOf(
  { ctx, db }: Connected,
  approval: Pick<ApprovalRow, 'decided_by' | 'decided_at' | 'life'>,
): Promise<{ readonly by: string; readonly at: string; readonly life?: GrantEnd }> {
  const { decided_by, decided_at, life } = approval
  const by = decided_by === null ? ctx.messages.approvals.byRule : await nameOf(db, decided_by)
  return {
    by,
    at: (decided_at ?? new Date()).toISOString(),
    ...(life === null || life === 'always' ? {} : { life }),
  }
}
