import { toJsonLine } from '../app/logs/to-json-line.ts'

/** Node tells each person that type stripping is experimental; other warnings of Node go to standard error in one line. */
export function quietWarnings(asJson: boolean): void {
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => {
    if (name === 'ExperimentalWarning') return
    const words = `warning: ${name}: ${message}`
    process.stderr.write(`${asJson ? toJsonLine(words) : words}\n`)
  })
}
