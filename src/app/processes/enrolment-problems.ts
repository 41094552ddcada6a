import type { Config } from '../../config/config.ts'

/** Greetings are proven by it, and whoever reads the queue can try secrets against one for as long as they like. */
const shortestSecret = 32
const token = /^[0-9a-f]{64}$/

/** What is wrong with the secret that tokens of workers are made from, in one line; undefined when nothing is, or none is set. */
export function secretProblem({ secrets }: Config): string | undefined {
  const { enrolmentSecret } = secrets
  if (enrolmentSecret === undefined || enrolmentSecret.reveal().length >= shortestSecret)
    return undefined
  return `COUNTERSIGN_ENROLMENT_SECRET is shorter than ${shortestSecret} characters: it could be guessed; countersign keys new makes one`
}

/** The same of a worker's token. */
export function tokenProblem({ secrets, worker }: Config): string | undefined {
  const { workerToken } = secrets
  if (workerToken === undefined || token.test(workerToken.reveal())) return undefined
  return `COUNTERSIGN_WORKER_TOKEN is not 64 lower-case hexadecimal digits: countersign keys token ${worker.name} prints the one of this worker’s name`
}
