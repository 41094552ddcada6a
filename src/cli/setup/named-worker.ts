import { CommandError } from '../../domain/command-error.ts'
import { workerName } from '../../rules/jobs/contract.ts'

/** Validates a worker name from the command line. */
export function namedWorker(name: string): string {
  if (workerName.safeParse(name).success) return name
  const expected = 'expected at most 32 lower-case letters, digits and -'
  throw new CommandError(`${JSON.stringify(name)} names no worker: ${expected}`, {
    code: 'UNKNOWN_NAME',
  })
}
