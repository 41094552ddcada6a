import { explainError } from '../../app/logs/explain-error.ts'
import { type Finding, fail } from './finding.ts'

/** What a check finds; one that breaks is a failure of its own and stops no other. */
export async function guarded(
  what: string,
  check: () => Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return [await check()].flat()
  } catch (error) {
    return [fail(what, wordsOf(error), 'mend this, then run countersign doctor again')]
  }
}

/** An error in one line. */
export function wordsOf(error: unknown): string {
  const said = explainError(error) ?? error
  return said instanceof Error ? said.message : String(said)
}
