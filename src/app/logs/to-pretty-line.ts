import { z } from 'zod'
import { showControls } from '../../rules/output/show-controls.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'

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
/** The same in every line of one process. */
const unsaid: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'process', 'pid', 'hostname'])

/**
 * A JSON line of the log for people: `12:03:04.123 info  turn started  turn=…`. Nothing of it reaches a terminal that
 * would take it for more than text. A line of another form stays as it is.
 */
export function toPrettyLine(line: string): string {
  const parsed = shape.safeParse(tryParseJson(line))
  if (!parsed.success) return line
  const { level, time, msg = '', ...fields } = parsed.data
  const words = [time.slice(11, 23), (levels[level] ?? String(level)).padEnd(5), msg]
  const said = Object.entries(fields).filter(([name]) => !unsaid.has(name))
  const pairs = said.map(([name, value]) => `${name}=${worded(value)}`)
  const traces = said.flatMap(([, value]) => stackOf(value))
  return `${[...words, ...pairs].map(inOneLine).join(' ')}\n${traces.join('')}`
}

function inOneLine(text: string): string {
  return showControls(text).replaceAll('\n', '\u240a')
}

/** A word as it is, anything else as JSON; of an error what it says, as its stack comes below. */
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
