import { createRedactor } from '../../src/rules/output/create-redactor.ts'
import { applyFilters } from '../../src/rules/output/filters/apply-filters.ts'
import {
  type CompiledFilter,
  compileFilters,
} from '../../src/rules/output/filters/compile-filters.ts'
import { sanitise } from '../../src/rules/output/sanitise.ts'
import { type Figure, toFigure } from '../support/figure.ts'
import { logText } from '../support/log-text.ts'
import { type Effort, type Measurement, runs } from '../support/measurement.ts'
import { outputMemory } from '../support/output-memory.ts'

const megabytes = 10

/** OUT-12, PERF-04: what a worker does to 10 MB that a command printed. */
export const output: Measurement = {
  name: 'output',
  about: `sanitise, search for secrets and filter ${megabytes} MB of log`,
  measure: async (effort) => [...measureTimes(effort), ...(await outputMemory(effort))],
}

const ownRules = {
  rules: [
    {
      name: 'own',
      match: { exact: 'own' },
      strategy: {
        type: 'strip_noise',
        patterns: ['^test .* ok$', 'note: expanded', 'health check'],
      },
    },
  ],
}

function measureTimes(effort: Effort): readonly Figure[] {
  const raw = logText(megabytes * 1_000_000)
  const clean = sanitise(raw)
  const { filters } = compileFilters(ownRules)
  const redactor = createRedactor([{ kind: 'own-secret', value: 'a-secret-of-our-own' }])
  const count = runs(effort, 10)
  const times = (work: () => unknown) => Array.from({ length: count }, () => timed(work))
  const filter = (text: string, command: string, exitCode = 0) =>
    filterText(filters, text, command, exitCode)
  const whole = () => filter(redactor.redact(sanitise(raw)).text, 'cargo test')
  return [
    toFigure('all three: sanitise, secrets, filter', 'ms', times(whole), {
      aim: { of: 'median', atMost: 1_000 },
    }),
    toFigure(
      'sanitise and filter, MB a second',
      '/s',
      times(() => filter(sanitise(raw), 'cargo test')).map((ms) => (megabytes / ms) * 1_000),
      { aim: { of: 'median', atLeast: 50 } },
    ),
    toFigure(
      'sanitise',
      'ms',
      times(() => sanitise(raw)),
    ),
    toFigure(
      'secrets',
      'ms',
      times(() => redactor.redact(clean)),
    ),
    toFigure(
      'filter: test_summary',
      'ms',
      times(() => filter(clean, 'cargo test')),
    ),
    toFigure(
      'filter: test_summary, failed',
      'ms',
      times(() => filter(clean, 'cargo test', 1)),
    ),
    toFigure(
      'filter: strip_noise, built in',
      'ms',
      times(() => filter(clean, 'make')),
    ),
    toFigure(
      'filter: strip_noise, failed',
      'ms',
      times(() => filter(clean, 'make', 2)),
    ),
    toFigure(
      'filter: strip_noise, own patterns',
      'ms',
      times(() => filter(clean, 'own')),
    ),
    toFigure(
      'filter: dedup',
      'ms',
      times(() => filter(clean, 'journalctl')),
    ),
  ]
}

function filterText(
  filters: readonly CompiledFilter[],
  text: string,
  command: string,
  exitCode: number,
): number {
  return applyFilters(filters, text, { command, exitCode })?.linesAfter ?? 0
}

function timed(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}
