import type { Config } from '../../config/config.ts'

/** Minimum length of the secret, since a reader of the queue can test guesses against a hello message offline. */
const shortestSecret = 32
const token = /^[0-9a-f]{64}$/

/** Returns the problem of the enrolment secret; undefined if it is valid or not set. */
export function secretProblem({ secrets }: Config): string | undefined {
  const { enrolmentSecret } = secrets
  if (enrolmentSecret === undefined || enrolmentSecret.reveal().length >= shortestSecret)
    return undefined
  return `COUNTERSIGN_ENROLMENT_SECRET is shorter than ${shortestSecret} characters: it could be guessed; countersign keys new makes one`
}

/** Returns the problem of a worker's token. */
export function tokenProblem({ secrets, worker }: Config): string | undefined {
  const { workerToken } = secrets
  if (workerToken === undefined || token.test(workerToken.reveal())) return undefined
  return `COUNTERSIGN_WORKER_TOKEN is not 64 lower-case hexadecimal digits: countersign keys token ${worker.name} prints the one of this worker’s name`
}
