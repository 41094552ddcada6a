import { mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { showControls } from '../../rules/output/sanitise.ts'
import type { Log } from '../../util/log.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { createProductRedactor, extraShapes } from './create-product-redactor.ts'

const levels: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}

const shape = z.looseObject({ level: z.number(), time: z.string(), msg: z.string().optional() })

const caught = z.looseObject({ stack: z.string() })

/** Fields that are equal in every line of a process. */
const hiddenFields: ReadonlySet<string> = new Set([
  'level',
  'time',
  'msg',
  'process',
  'pid',
  'hostname',
])

/** Name of the process, part of every log line and trace. */
export type ProcessName = 'start' | 'gateway' | 'agent' | 'worker'

export interface LogOptions {
  /** `start` by default. */
  readonly process?: ProcessName
  /** Output stream; `countersign.log` in the data directory by default. */
  readonly output?: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

/**
 * Creates the log: into a file for `start`, whose terminal shows the chat, otherwise to standard output. Every line is
 * redacted as a whole, including error messages.
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
    log.warn({ number, why }, 'a pattern of extra_patterns was ignored')
  }
  return log
}

type Write = (line: string) => void

/** Writes JSON to the log file, since its checkpoints are read back (AUD-02). */
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

/**
 * Formats a JSON log line for people: `12:03:04.123 info  turn started  turn=…`, without terminal control characters. A
 * line of another form is returned unchanged.
 */
export function toPrettyLine(line: string): string {
  const parsed = shape.safeParse(tryParseJson(line))
  if (!parsed.success) return line
  const { level, time, msg = '', ...fields } = parsed.data
  const words = [time.slice(11, 23), (levels[level] ?? String(level)).padEnd(5), msg]
  const shown = Object.entries(fields).filter(([name]) => !hiddenFields.has(name))
  const pairs = shown.map(([name, value]) => `${name}=${worded(value)}`)
  const traces = shown.flatMap(([, value]) => stackOf(value))
  return `${[...words, ...pairs].map(inOneLine).join(' ')}\n${traces.join('')}`
}

function inOneLine(text: string): string {
  return showControls(text).replaceAll('\n', '\u240a')
}

/** Formats a value: a word unchanged, anything else as JSON; of an error the message, as its stack follows. */
function worded(value: unknown): string {
  if (typeof value === 'string' && /^[\w.:/@+-]+$/.test(value)) return value
  const error = caught.safeParse(value)
  return JSON.stringify(error.success ? error.data['message'] : value)
}

function stackOf(value: unknown): readonly string[] {
  const error = caught.safeParse(value)
  if (!error.success) return []
  return error.data.stack.split('\n').map((text) => `    ${showControls(text)}\n`)
}
