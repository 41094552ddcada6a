import { answerHere } from './answer-here.ts'
import type { IntakeTransaction } from './intake-transaction.ts'

/** Answers several things, each in a message of its own. */
export async function tellAll(tx: IntakeTransaction, remarks: readonly string[]): Promise<void> {
  for (const remark of remarks) await answerHere(tx, remark)
}
