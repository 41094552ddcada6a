import { findApprovalOfCall } from '../../db/approvals.ts'
import type { Db, ToolCallRow } from '../../db/schema.ts'
import { lockSession } from '../../db/sessions.ts'
import { findLatePreviews } from '../../db/silent-calls.ts'
import { findCall, updateCall } from '../../db/tool-calls.ts'
import type { Card } from '../../domain/approval.ts'
import { makeVisible } from '../../rules/gate/visible.ts'
import type { WorkerMessage } from '../../rules/jobs/contract.ts'
import { toStorable } from '../../util/storable.ts'
import { attempt } from '../kernel/attempt.ts'
import { type Effects, transact } from '../kernel/transact.ts'
import { packCard } from '../outbox/card-file.ts'
import { postCard, readCard } from '../outbox/cards.ts'
import type { CallKernel } from './call-kernel.ts'

/** How long a card waits for the diff of what it asks about, in milliseconds. */
const previewWaitMs = 5_000

type ResultMessage = Extract<WorkerMessage, { type: 'result' }>

/** The diff of an edit or write has come: the card shows it and goes out, bound to the file it was made from. */
export async function settlePreview(
  kernel: CallKernel,
  known: ToolCallRow,
  message: ResultMessage,
): Promise<void> {
  const { outcome } = message
  if (outcome.kind === 'preview') {
    const { diff, baseSha256 } = outcome
    return show(kernel, known, message.attempt, baseSha256, (card) => ({
      ...card,
      what: withDiff(card, diff),
    }))
  }
  const why = outcome.kind === 'failed' ? outcome.error.message : outcome.kind
  return show(kernel, known, message.attempt, null, (card) => ({
    ...card,
    reasons: [...card.reasons, `No diff could be made: ${makeVisible(why)}`],
  }))
}

/** Posts cards whose diff never came, with the whole arguments instead: a lost preview must not hide a question. */
export async function postLatePreviews(kernel: CallKernel): Promise<void> {
  const why = 'No diff could be made: the worker did not answer in time'
  for (const call of await findLatePreviews(kernel.db, previewWaitMs)) {
    await attempt(kernel, 'post a card', () =>
      show(kernel, call, call.attempt + 1, null, (card) => ({
        ...card,
        reasons: [...card.reasons, why],
      })),
    )
  }
}

function withDiff(card: Card, diff: string): string {
  const title = card.what.split('\n', 1)[0] ?? ''
  return `${title}\n\n${makeVisible(diff)}`
}

/** Only for the question that stands now: a preview is made for the attempt that would follow its answer. */
function show(
  kernel: CallKernel,
  known: ToolCallRow,
  forAttempt: number,
  baseSha256: string | null,
  change: (card: Card) => Card,
): Promise<void> {
  return transact(kernel, async (db, after) => {
    await lockSession(db, known.session_id)
    const call = await findCall(db, known.id)
    if (call?.state !== 'awaiting_approval' || call.preview !== 'wanted') return
    if (forAttempt !== call.attempt + 1) return
    await updateCall(db, call.id, { preview: 'done', base_sha256: baseSha256 })
    await postChanged(db, after, call, change)
  })
}

async function postChanged(
  db: Db,
  after: Effects,
  call: ToolCallRow,
  change: (card: Card) => Card,
): Promise<void> {
  const approval = await findApprovalOfCall(db, call.id)
  if (approval?.state !== 'pending') return
  const packed = await packCard(db, approval.conversation_id, change(readCard(approval)))
  const card = toStorable(JSON.stringify(packed))
  await postCard(db, after, { ...approval, card })
}
