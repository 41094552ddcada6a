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
export function describeEnd(call: ToolCallRow): string {
  const { state, envelope, exit_code, error_category } = call
  if (state === 'failed') return `failed (${error_category})`
  if (state !== 'succeeded') return state
  if (envelope === null) return 'done'
  if (exit_code === 0) return 'exit 0'
  const meaning = exitWords[exit_code ?? 0] ?? commonFailure(call)
  return `failed: exit ${exit_code}${meaning === undefined ? '' : `, ${meaning}`}`
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

/** Messages by which programs name common failures, and the words for them. */
const commonFailures: readonly (readonly [RegExp, string])[] = [
  [/no such file or directory/i, 'no such file'],
  [/permission denied|operation not permitted/i, 'permission denied'],
  [/no space left on device/i, 'the disk is full'],
  [/read-only file system/i, 'the file system is read-only'],
  [
    /could not resolve host|name or service not known|temporary failure in name resolution/i,
    'host not found',
  ],
  [/connection refused/i, 'connection refused'],
  [/not a git repository/i, 'not a git repository'],
]

/** Failure that the last lines of an output name, if it is a common one. */
function commonFailure({ output }: ToolCallRow): string | undefined {
  const tail = (output ?? '').slice(-400)
  return commonFailures.find(([message]) => message.test(tail))?.[1]
}

const maxLastLine = 120

/** The last line that a command printed; undefined if there is none. What other tools read is not for everybody who sees the card. */
export function lastLineOf({ envelope, output }: ToolCallRow): string | undefined {
  if (envelope === null) return undefined
  // The note about the exit code is ours, and the outcome tells it.
  const tail = (output ?? '')
    .slice(-4_000)
    .trimEnd()
    .replace(/\n?\[exit code \d+\]$/, '')
    .trimEnd()
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
