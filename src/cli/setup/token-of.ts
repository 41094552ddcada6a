import { secretProblem } from '../../app/processes/enrolment-problems.ts'
import type { Config } from '../../config/config.ts'
import { CommandError } from '../../domain/command-error.ts'
import { workerToken } from '../../rules/jobs/enrolment.ts'

/** Returns the token that enrols replicas of a worker. */
export function tokenOf(config: Config, worker: string): string {
  const secret = config.secrets.enrolmentSecret?.reveal()
  if (secret === undefined) throw new CommandError(notSet, { code: 'SECRET_UNUSABLE' })
  const problem = secretProblem(config)
  if (problem !== undefined) throw new CommandError(problem, { code: 'SECRET_UNUSABLE' })
  return workerToken(secret, worker)
}

const notSet =
  'COUNTERSIGN_ENROLMENT_SECRET is not set: tokens are made from it; countersign keys new makes one'
