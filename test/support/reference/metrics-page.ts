import { Registry } from 'prom-client'
import { createMeters } from '../../../src/adapters/telemetry/create-meters.ts'
import type { Prometheus } from '../../../src/adapters/telemetry/create-prometheus.ts'
import { watchDatabaseState, watchQueues } from '../../../src/app/processes/watch-database-state.ts'
import type { Db } from '../../../src/db/schema.ts'
import type { Queue } from '../../../src/ports/queue.ts'

const introduction = `<!-- Made from the meters: npm run reference -->

# Metrics

Served at \`/metrics\` of \`[http] listen\` in Prometheus' text format, with those of the process (memory, processor, event loop) and
\`countersign_build_info\`. Counters and histograms count what this process did: sum them over processes. Gauges read the database or the queue, so
that every process reports the same: take the maximum. Times are in seconds. Labels never name a person, a conversation or a call.`

/** DOC-02: all metrics, the content of `docs/reference/metrics.md`. */
export async function metricsPage(): Promise<string> {
  const rows = [...meterRows(), ...gaugeRows()].sort()
  const table = ['| metric | type | labels | meaning |', '|---|---|---|---|', ...rows].join('\n')
  return `${[introduction, table].join('\n\n')}\n`
}

function meterRows(): readonly string[] {
  const register = new Registry()
  createMeters(register)
  return register.getMetricsAsArray().map((metric) => {
    const { name, help, type, labelNames } = metric as unknown as Meter
    return rowOf(name, type, labelNames, help)
  })
}

/** Fields that every metric of prom-client has and its types do not show. */
interface Meter {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly labelNames: readonly string[]
}

function gaugeRows(): readonly string[] {
  const rows: string[] = []
  const gauge: Prometheus['gauge'] = ({ name, label, help }) =>
    void rows.push(rowOf(`countersign_${name}`, 'gauge', label === undefined ? [] : [label], help))
  const metrics = { gauge } as Prometheus
  // Nothing is read: gauges are only registered.
  watchDatabaseState(metrics, {} as Db)
  watchQueues(metrics, {} as Queue, {} as Db, 'default')
  return rows
}

function rowOf(name: string, type: string, labels: readonly string[], help: string): string {
  const named = labels.map((label) => `\`${label}\``).join(', ')
  return `| \`${name}\` | ${type} | ${named} | ${help} |`
}
