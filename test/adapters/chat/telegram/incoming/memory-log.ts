import { inspect } from 'node:util'
import type { Log } from '../../../../../src/util/log.ts'

/** Keeps all that is logged, down to the properties that no serializer would show. */
export class MemoryLog implements Log {
  readonly lines: string[] = []
  debug = this.#keeper('debug')
  info = this.#keeper('info')
  warn = this.#keeper('warn')
  error = this.#keeper('error')

  #keeper(level: string) {
    return (fields: Readonly<Record<string, unknown>>, message: string): void => {
      this.lines.push(`${level} ${message} ${inspect(fields, { depth: 10, showHidden: true })}`)
    }
  }

  having(part: string): readonly string[] {
    return this.lines.filter((line) => line.includes(part))
  }
}
