import { readFileSync, writeFileSync } from 'node:fs'
import { createRedactor } from '../src/rules/output/create-redactor.ts'
import { compileFilters } from '../src/rules/output/filters/compile-filters.ts'
import { cleanOutcome } from '../src/worker/clean-outcome.ts'
import { logText } from './support/log-text.ts'

/** A process that cleans one output of so many MB, as a worker does, and says in MB what it took; to be run with `--expose-gc`. */
const megabytes = Number(process.argv[2])

const { filters } = compileFilters()
const redactor = createRedactor([{ kind: 'own-secret', value: 'a-secret-of-our-own' }])
const pipeline = { redactor, filters, warnOfSecrets: true, maxOutputBytes: 1_000_000_000 }

clean(flatLog(1))
const raw = flatLog(megabytes)
const before = settled()
// The highest mark of resident memory begins anew.
writeFileSync('/proc/self/clear_refs', '5')
const outcome = clean(raw)
const peak = memory('VmHWM')
const texts = outcome.kind === 'succeeded' ? [outcome.output, outcome.filtered?.text ?? ''] : []
const sizes = texts.map((text) => Buffer.byteLength(text) / 1e6)
process.stdout.write(
  JSON.stringify({ peak: peak - before, texts: sizes.reduce((sum, size) => sum + size, 0) }),
)

function clean(output: string) {
  const envelope = {
    stdout: output,
    stderr: '',
    exit_code: 0,
    truncated: false,
    duration_ms: 1,
    timed_out: false,
  }
  return cleanOutcome({ kind: 'ok', output, envelope }, pipeline, 'cargo test')
}

/** In one piece, as what was read is; its lines and pieces are gone. */
function flatLog(size: number): string {
  return Buffer.from(logText(size * 1_000_000)).toString()
}

function settled(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  return memory('VmRSS')
}

function memory(what: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] =
    new RegExp(`^${what}:\\s+(\\d+) kB`, 'm').exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return (Number(kilobytes) * 1024) / 1e6
}
