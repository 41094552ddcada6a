import type { ApprovalRow } from '../../../db/schema.ts'
import { numbersOf } from '../../card/batches.ts'
import type { Transaction } from '../../transaction.ts'
import { decideLocked, type PersonsAnswer } from './decide.ts'
import type { Decided } from './decided.ts'

/**
 * APPR-20: one answer to several questions of a session, each decided by its own rule as though it had been answered alone. `applied`
 * only where it was to all of them; the words say which it was not.
 */
export async function decideAll(
  tx: Transaction,
  questions: readonly ApprovalRow[],
  answer: PersonsAnswer,
): Promise<Decided> {
  const results: { readonly number: number; readonly decided: Decided }[] = []
  for (const question of questions) {
    const decided = await decideLocked(tx, question, answer)
    results.push({ number: question.number, decided })
  }
  const missed = results.find(({ decided }) => decided.kind !== 'applied')
  const groups = [...Map.groupBy(results, ({ decided }) => decided.text)]
  return {
    kind: missed?.decided.kind ?? 'applied',
    text: groups.map(([text, members]) => `${numbersOf(members)}: ${text}`).join('\n'),
  }
}
