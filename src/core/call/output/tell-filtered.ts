import type { ToolCallRow } from '../../../db/schema.ts'
import { getConversation } from '../../../db/turn/conversations.ts'
import { getSession } from '../../../db/turn/sessions.ts'
import { filterStatistics } from '../../../rules/output/filters/apply-filters.ts'
import { notice } from '../../outbox/post.ts'
import type { Transaction } from '../../transaction.ts'

/** Where people watch what each call does; elsewhere `/output` says it. */
const terminal = 'console'

/** OUT-06: at the terminal one line of how much filters took away, if anything. */
export async function tellFiltered(tx: Transaction, call: ToolCallRow): Promise<void> {
  const line = statisticsOf(call)
  if (line === undefined) return
  const { conversation_id: id } = await getSession(tx.db, call.session_id)
  if ((await getConversation(tx.db, id)).platform === terminal) await notice(tx, id, line)
}

/** OUT-06: undefined where filters took no line away. */
export function statisticsOf({ lines_before, lines_after }: ToolCallRow): string | undefined {
  if (lines_before === null || lines_after === null) return undefined
  return filterStatistics({ linesBefore: lines_before, linesAfter: lines_after })
}
