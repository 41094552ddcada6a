import { describe } from 'vitest'
import { inCi } from '../run/in-ci.ts'
import { programFailure } from '../run/system-packages.ts'

/** Tests that need a `redis-server` and perhaps more: skipped where one is missing, failed where it is missing in CI. */
export function describeWithRedis(
  title: string,
  body: () => void,
  programs: readonly string[] = [],
): void {
  const failures = ['redis-server', ...programs].map(programFailure)
  const missing = inCi() ? undefined : failures.find((failure) => failure !== undefined)
  if (missing !== undefined) process.stderr.write(`skipped: ${title} (${missing})\n`)
  describe.skipIf(missing !== undefined)(title, body)
}
