import { mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import type { Config } from '../../config/config.ts'
import type { Log } from '../../util/log.ts'
import { createProductRedactor, extraShapes } from './create-product-redactor.ts'
import { toPrettyLine } from './to-pretty-line.ts'

/** Which of the product's processes this is; every line and every trace says it. */
export type ProcessName = 'start' | 'gateway' | 'agent' | 'worker'

export interface LogOptions {
  /** `start` when missing. */
  readonly process?: ProcessName
  /** Where lines go; `countersign.log` in the data directory when missing. */
  readonly output?: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

/**
 * Structured lines: into a file for `start`, whose terminal belongs to the chat, to standard output for a process that runs
 * by itself. Every line is redacted whole, so that a secret inside an error message does not get there either.
 */
export function createLog(config: Config, options: LogOptions = {}): Log {
  const { process: name = 'start', output } = options
  const redactor = createProductRedactor(config)
  const write = output === undefined ? toFile(config.dataDir) : toOutput(config, output)
  const log = pino(
    {
      level: config.logging.level,
      timestamp: pino.stdTimeFunctions.isoTime,
      base: { process: name, pid: process.pid, hostname: hostname() },
    },
    { write: (line: string) => write(redactor.redact(line).text) },
  )
  for (const { number, why } of extraShapes(config).skipped) {
    log.warn({ number, why }, 'a pattern of extra_patterns is not used')
  }
  return log
}

type Write = (line: string) => void

/** Always JSON: its checkpoints are read back (AUD-02). */
function toFile(dataDir: string): Write {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, 'countersign.log')
  const destination = pino.destination({ dest: file, mode: 0o600, sync: true })
  return (line) => void destination.write(line)
}

function toOutput({ logging }: Config, output: NonNullable<LogOptions['output']>): Write {
  const format = logging.format ?? (output.isTTY === true ? 'pretty' : 'json')
  return format === 'json'
    ? (line) => void output.write(line)
    : (line) => void output.write(toPrettyLine(line))
}
