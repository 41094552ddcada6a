import { findApprovalOfCall } from '../../db/approval/approvals.ts'
import { nameOf } from '../../db/people/callers.ts'
import type { ApprovalRow, ToolCallRow } from '../../db/schema.ts'
import type { GrantEnd } from '../../domain/grant-life.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import { emptyOutput } from '../../domain/tool/tool-call.ts'
import { toolErrorCategories } from '../../domain/tool/tool-error.ts'
import { makeVisible } from '../../rules/gate/visible.ts'
import type { Connected, Transaction } from '../transaction.ts'
import { updateCard } from './cards.ts'

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
