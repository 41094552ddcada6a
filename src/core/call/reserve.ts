import type { Db } from '../../db/schema.ts'
import { refundCalls, reserveCalls } from '../../db/turn/sessions.ts'
import type { ToolError } from '../../domain/tool/tool-error.ts'
import { describeOver, holdBudgets, withoutRoom } from './budgets.ts'
import type { CallKernel, Scope } from './gate/call-kernel.ts'

/** Whether a whole batch may run; `words` say to the person why not, `error` to the model. */
export type Quota =
  | { readonly kind: 'fits' }
  | { readonly kind: 'over'; readonly words: string; readonly error: ToolError }

/** LOOP-13, LOOP-15: takes `count` calls of the session's quota and of the day's budgets: all of them, or none. */
export async function reserve(
  kernel: CallKernel,
  db: Db,
  scope: Scope,
  count: number,
): Promise<Quota> {
  const limit = kernel.settings.maxToolCallsPerSession
  if (!(await reserveCalls(db, scope.session.id, count, limit))) {
    return overQuota(scope, count, limit ?? 0)
  }
  const over = withoutRoom(await holdBudgets(kernel, db, scope), count)
  if (over === undefined) return { kind: 'fits' }
  await refundCalls(db, scope.session.id, count)
  const left = Math.max(over.line.limit - over.line.spent, 0)
  const words = `The tool calls were not run: ${describeOver(over)}.`
  return { kind: 'over', words, error: blocked(left, over.line.limit, moreByBudget) }
}

const moreByBudget = 'they can have more tomorrow (UTC), or an operator lifts the budget'
const moreByQuota = 'their /clear starts over and resets the quota'

function overQuota({ session }: Scope, wanted: number, limit: number): Quota {
  const left = Math.max(limit - session.calls_used, 0)
  const words = describeQuota({ wanted, left, limit })
  return { kind: 'over', words, error: blocked(left, limit, moreByQuota) }
}

/** Why none of the `wanted` calls ran; names /clear only where that helps. */
export function describeQuota(quota: {
  readonly wanted: number
  readonly left: number
  readonly limit: number
}): string {
  const { wanted, left, limit } = quota
  const fewer = 'The model was told to ask for fewer at once.'
  if (wanted > limit && left > 0) {
    return `None of the ${wanted} tool calls was run: a session may make ${limit} in all (${left} left). ${fewer}`
  }
  if (left > 0) {
    return `None of the ${wanted} tool calls was run: ${left} of the session's ${limit} are left. ${fewer} /clear starts over and resets the quota.`
  }
  return `The quota of ${limit} tool calls a session is used up. /clear starts over and resets it.`
}

function blocked(left: number, limit: number, more: string): ToolError {
  const suggestion =
    left > 0
      ? `Ask for at most ${left} calls from now on, those that matter most.`
      : `Answer with what you have, and tell the person that no calls are left: ${more}.`
  const message = `quota_blocked: ${left} of ${limit} left`
  return { category: 'policy_blocked', message, suggestion }
}
