import { inspect } from 'node:util'
import type { Log } from '../../../src/util/log.ts'

/** A log that stores its lines: level and message, and everything printable of a line. */
export interface RecordingLog extends Log {
  readonly lines: readonly { readonly text: string; readonly all: string }[]
  /** Number of lines that contain a text. */
  count(words: string): number
}

export function createRecordingLog(): RecordingLog {
  const lines: { text: string; all: string }[] = []
  const write = (level: string) => (fields: object, message: string) => {
    const text = `${level} ${message}`
    lines.push({ text, all: `${text} ${printed(fields)}` })
  }
  return {
    lines,
    count: (words) => lines.filter(({ text }) => text.includes(words)).length,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  }
}

/** Everything printable of a value, including hidden properties and causes. */
export function printed(value: unknown): string {
  return inspect(value, { depth: null, showHidden: true })
}
