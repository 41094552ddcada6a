import { createRedactor } from '../../src/rules/output/create-redactor.ts'
import { sanitise } from '../../src/rules/output/sanitise.ts'
import { toFigure } from '../support/figure.ts'
import { type Measurement, runs } from '../support/measurement.ts'

const characters = 10_000_000

/** Lines of the kinds that builds, servers and tests print; `#` becomes their number. */
const plain = [
  '2026-03-01T10:11:12.#Z INFO [http] GET /api/v1/users/#?page=2 200 12ms agent="Mozilla/5.0 (X11)"',
  'npm http fetch GET 200 https://registry.npmjs.org/js-tokens/-/js-tokens-4.0.#.tgz 12ms',
  '   Compiling serde v1.0.# (/srv/build/target/debug)',
  '\u001b[32m✓\u001b[39m token store refreshes a key after # s \u001b[90m(12 ms)\u001b[39m',
  '      "integrity": "sha512-#z0Q9oXvB3mTtq1kz6w8lFJXo5zJ8m1dVYwqJ2c7X4Jm0l5F6a7b8c9d0e1f2g3==",',
  'at Object.<anonymous> (/srv/app/node_modules/lib/index.js:#:15)',
]
const secretLine = 'DB_PASSWORD=k3j5h7g9f1d3s#'

/** OUT-12: what it costs to clean 10 MB that a command printed. */
export const secrets: Measurement = {
  name: 'secrets',
  about: `sanitising, and the search for secrets, in ${characters / 1e6} million characters of a log; processor time`,
  measure: async (effort) => {
    const redactor = createRedactor(
      Array.from({ length: 12 }, (_, index) => ({
        kind: 'own-secret',
        value: `value-${index}-of-a-secret/that+is=long`,
      })),
    )
    const count = runs(effort, 15)
    const log = logOf(plain)
    const clean = sanitise(log)
    const withSecrets = sanitise(logOf([...Array(20).fill(plain).flat(), secretLine]))
    const aim = { of: 'median', atMost: 330 } as const
    return [
      toFigure(
        'sanitise',
        'ms',
        times(count, () => sanitise(log)),
      ),
      toFigure(
        'secrets',
        'ms',
        times(count, () => redactor.redact(clean)),
        { aim },
      ),
      toFigure(
        'secrets, one in 121 lines',
        'ms',
        times(count, () => redactor.redact(withSecrets)),
      ),
    ]
  },
}

function logOf(lines: readonly string[]): string {
  const parts: string[] = []
  for (let at = 0, length = 0; length < characters; at += 1) {
    const line = (lines[at % lines.length] ?? '').replaceAll('#', String(at))
    parts.push(line)
    length += line.length + 1
  }
  return parts.join('\n')
}

/** Milliseconds of this thread's processor time of each run: what else the machine does counts less. */
function times(count: number, work: () => unknown): number[] {
  return Array.from({ length: count }, () => {
    const start = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(start)
    return (user + system) / 1_000
  })
}
