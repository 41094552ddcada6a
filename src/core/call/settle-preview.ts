import { findApprovalOfCall } from '../../db/approval/approvals.ts'
import { saveCard } from '../../db/approval/card-copies.ts'
import { findLatePreviews } from '../../db/call/silent-calls.ts'
import { findCall, updateCall } from '../../db/call/tool-calls.ts'
import type { ApprovalRow, ToolCallRow } from '../../db/schema.ts'
import { lockSession } from '../../db/turn/sessions.ts'
import { makeTurnDue } from '../../db/turn/turns.ts'
import type { Card } from '../../domain/approval.ts'
import type { Effect } from '../../domain/effect.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import { makeVisible } from '../../rules/gate/visible.ts'
import type { WorkerMessage } from '../../rules/jobs/contract.ts'
import { toStorable } from '../../util/text/storable.ts'
import { readCard } from '../card/read-card.ts'
import { showBatch, showCard } from '../card/route-card.ts'
import { attempt, type Transaction, transact } from '../transaction.ts'
import type { CallContext } from './gate/call-context.ts'
import { describePrograms, programsDigest, programsOf } from './sign-call.ts'

/** Milliseconds a card waits for its preview. */
const previewWaitMs = 5_000

type ResultMessage = Extract<WorkerMessage, { type: 'result' }>

/**
 * Adds the preview to the card and posts it, bound to the files as they were: the diff of an edit or write, or the files a
 * command runs (APPR-24).
 */
export async function settlePreview(
  ctx: CallContext,
  known: ToolCallRow,
  message: ResultMessage,
): Promise<void> {
  const { outcome } = message
  if (outcome.kind === 'preview') {
    const { diff, baseSha256 } = outcome
    const change = (card: Card) => ({ ...card, what: withDiff(card, diff) })
    return show(ctx, known, { question: message.attempt, baseSha256, change })
  }
  const named = programsOf(known)
  if (outcome.kind === 'programs' && outcome.files.length === named.length) {
    const { files } = outcome
    const lines = describePrograms(ctx.messages, named, files)
    const unread = named.filter((_, at) => files[at]?.kind === 'unread')
    return show(ctx, known, {
      question: message.attempt,
      baseSha256: programsDigest(files),
      change: withPrograms(ctx.messages, lines, unread),
    })
  }
  const why = outcome.kind === 'failed' ? outcome.error.message : outcome.kind
  const change = withUnshown(ctx.messages, known, makeVisible(why))
  return show(ctx, known, { question: message.attempt, baseSha256: null, change })
}

/** Posts cards whose preview never came, with the whole arguments: a lost preview must not hide an approval. */
export async function postLatePreviews(ctx: CallContext): Promise<void> {
  for (const call of await findLatePreviews(ctx.db, previewWaitMs)) {
    const change = withUnshown(ctx.messages, call, ctx.messages.cards.workerSilent)
    await attempt(ctx, 'post a card', () =>
      show(ctx, call, {
        question: call.question,
        baseSha256: null,
        change,
      }),
    )
  }
}

/** Says on a card without its preview what could not be shown, and why. */
function withUnshown({ cards }: Messages, call: ToolCallRow, why: string): (card: Card) => Card {
  const isDiff = programsOf(call).length === 0
  const reason = isDiff ? cards.noDiff({ why }) : cards.filesUnseen({ why })
  const effect: Effect = isDiff ? { kind: 'no_diff', of: why } : { kind: 'unbound', of: reason }
  return (card) => {
    const changed = { ...card, reasons: [...card.reasons, reason] }
    // A card of an older version shows its reasons, as it has no effects.
    return card.effects === undefined ? changed : { ...changed, effects: [...card.effects, effect] }
  }
}

/** THREAT-16: names programs whose content nobody can see on the first view. */
function withPrograms(
  { cards }: Messages,
  lines: readonly string[],
  unread: readonly string[],
): (card: Card) => Card {
  const effects = unread.map((path): Effect => {
    return { kind: 'unbound', of: cards.mayChange({ path: makeVisible(path) }) }
  })
  return (card) => ({
    ...card,
    // A card of an older version shows its reasons, as it has no effects.
    ...(card.effects === undefined ? {} : { effects: [...card.effects, ...effects] }),
    reasons: [...card.reasons, ...lines],
  })
}

function withDiff(card: Card, diff: string): string {
  const title = card.what.split('\n', 1)[0] ?? ''
  return `${title}\n\n${makeVisible(diff)}`
}

/** Preview for the approval of this number. */
interface Preview {
  readonly question: number
  /** SHA-256 of the files previewed; null: unknown. */
  readonly baseSha256: string | null
  readonly change: (card: Card) => Card
}

/**
 * Applies only to the current approval with this number: a preview for an earlier one, perhaps with other arguments, is ignored
 * (APPR-16).
 */
function show(
  ctx: CallContext,
  known: ToolCallRow,
  { question, baseSha256, change }: Preview,
): Promise<void> {
  return transact(ctx, async (tx) => {
    await lockSession(tx.db, known.session_id)
    const call = await findCall(tx.db, known.id)
    if (call?.state !== 'awaiting_approval' || call.preview !== 'wanted') return
    const approval = await findApprovalOfCall(tx.db, call.id)
    if (approval?.state !== 'pending' || approval.number !== question) return
    await updateCall(tx.db, call.id, { preview: 'done', base_sha256: baseSha256 })
    await showChanged(tx, approval, change)
    const mayVote = call.editor_votes || approval.batch_id !== null
    const due = mayVote ? await makeTurnDue(tx.db, call.turn_id) : undefined
    if (due !== undefined) tx.effects.wakeTurn(due)
  })
}

async function showChanged(
  tx: Transaction<CallContext>,
  approval: ApprovalRow,
  change: (card: Card) => Card,
): Promise<void> {
  const card = toStorable(JSON.stringify(change(readCard(approval))))
  if (approval.batch_id === null) return showCard(tx, { ...approval, card })
  await saveCard(tx.db, approval.id, card)
  await showBatch(tx, approval.batch_id)
}
