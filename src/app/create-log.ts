import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import type { Config } from '../config/config.ts'
import { knownSecrets } from '../config/secrets.ts'
import { createRedactor } from '../rules/output/create-redactor.ts'
import type { Log } from '../util/log.ts'

/**
 * Structured lines into `countersign.log` in the data directory: the terminal belongs to the chat. Every line is
 * redacted whole, so that a secret inside an error message does not get there either.
 */
export function createLog(config: Config): Log {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const secrets = knownSecrets(config).map((value) => ({ kind: 'own-secret', value }))
  const redactor = createRedactor(secrets)
  const file = join(config.dataDir, 'countersign.log')
  const destination = pino.destination({ dest: file, mode: 0o600, sync: true })
  const stream = { write: (line: string) => destination.write(redactor.redact(line).text) }
  return pino({ level: config.logging.level, timestamp: pino.stdTimeFunctions.isoTime }, stream)
}
