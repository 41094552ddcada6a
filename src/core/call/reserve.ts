import type { Db } from '../../db/schema.ts'
import { refundCalls, reserveCalls } from '../../db/sessions.ts'
import { describeOver, holdBudgets, withoutRoom } from './budgets.ts'
import type { CallKernel, Scope } from './call-kernel.ts'

/** Whether a whole batch may run; `words` say to the person why not. */
export type Quota =
  | { readonly kind: 'fits' }
  | {
      readonly kind: 'over'
      readonly left: number
      readonly limit: number
      readonly words: string
    }

/** LOOP-13, LOOP-15: takes `count` calls of the session's quota and of the day's budgets: all of them, or none. */
export async function reserve(
  kernel: CallKernel,
  db: Db,
  scope: Scope,
  count: number,
): Promise<Quota> {
  const limit = kernel.settings.maxToolCallsPerSession
  if (!(await reserveCalls(db, scope.session.id, count, limit))) return overQuota(scope, limit ?? 0)
  const over = withoutRoom(await holdBudgets(kernel, db, scope), count)
  if (over === undefined) return { kind: 'fits' }
  await refundCalls(db, scope.session.id, count)
  const { spent, limit: most } = over.line
  const words = `The tool calls were not run: ${describeOver(over)}.`
  return { kind: 'over', left: Math.max(most - spent, 0), limit: most, words }
}

function overQuota({ session }: Scope, limit: number): Quota {
  const left = Math.max(limit - session.calls_used, 0)
  const words = `The quota of ${limit} tool calls a session is used up (${left} left, more were wanted). /clear starts over and resets it.`
  return { kind: 'over', left, limit, words }
}
