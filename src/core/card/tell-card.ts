import { findApprovalOfCall } from '../../db/approval/approvals.ts'
import { nameOf } from '../../db/people/callers.ts'
import type { ApprovalRow, Db, ToolCallRow } from '../../db/schema.ts'
import type { GrantEnd } from '../../domain/grant-life.ts'
import { makeVisible } from '../../rules/gate/visible.ts'
import type { Transaction } from '../transaction.ts'
import { updateCard } from './cards.ts'

/** Shows how a call ended on its card, if it has one (APPR-05). */
export async function showCallEnd(tx: Transaction, call: ToolCallRow): Promise<void> {
  const approval = await findApprovalOfCall(tx.db, call.id)
  if (approval?.state !== 'approved' && approval?.state !== 'granted') return
  const lastLine = lastLineOf(call)
  await updateCard(tx, approval, {
    kind: 'finished',
    ...(await deciderOf(tx.db, approval)),
    outcome: describeEnd(call),
    isSuccess: isSuccess(call),
    durationMs: call.duration_ms ?? 0,
    ...(lastLine === undefined ? {} : { lastLine }),
  })
}

/** Describes how a call ended, briefly enough for a card (CARD-05). */
export function describeEnd({ state, envelope, exit_code, error_category }: ToolCallRow): string {
  if (state === 'failed') return `failed (${error_category})`
  if (state !== 'succeeded') return state
  if (envelope === null) return 'done'
  const meaning = exitWords[exit_code ?? 0]
  return `exit ${exit_code}${meaning === undefined ? '' : `, ${meaning}`}`
}

/** Meanings that shells and the kernel give to exit codes. */
const exitWords: Readonly<Record<number, string>> = {
  124: 'timed out',
  126: 'not executable',
  127: 'command not found',
  130: 'interrupted',
  134: 'aborted',
  137: 'killed',
  139: 'crashed',
  143: 'terminated',
}

const maxLastLine = 120

/** The last line that a command printed; undefined if there is none. What other tools read is not for everybody who sees the card. */
function lastLineOf({ envelope, output }: ToolCallRow): string | undefined {
  if (envelope === null) return undefined
  const tail = (output ?? '').slice(-4_000).trimEnd()
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
  db: Db,
  approval: Pick<ApprovalRow, 'decided_by' | 'decided_at' | 'life'>,
): Promise<{ readonly by: string; readonly at: string; readonly life?: GrantEnd }> {
  const { decided_by, decided_at, life } = approval
  const by = decided_by === null ? 'a rule' : await nameOf(db, decided_by)
  return {
    by,
    at: (decided_at ?? new Date()).toISOString(),
    ...(life === null || life === 'always' ? {} : { life }),
  }
}
