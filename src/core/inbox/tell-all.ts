import { answerHere } from './answer-here.ts'
import type { IntakeContext } from './intake-context.ts'

/** Answers several things, each in a message of its own. */
export async function tellAll(context: IntakeContext, remarks: readonly string[]): Promise<void> {
  for (const remark of remarks) await answerHere(context, remark)
}
