import { explainError } from '../../app/logs/explain-error.ts'
import { type Finding, fail } from './finding.ts'

/** Runs a check and turns an exception into a failed finding. */
export async function guarded(
  what: string,
  check: () => Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return [await check()].flat()
  } catch (error) {
    return [fail(what, describeError(error), 'mend this, then run countersign doctor again')]
  }
}

/** Formats an error in one line. */
export function describeError(error: unknown): string {
  const said = explainError(error) ?? error
  return said instanceof Error ? said.message : String(said)
}
