import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { Log } from '../../util/log.ts'

/** What an exporter says of a batch; 0 is success. */
type Result = Parameters<Parameters<SpanExporter['export']>[1]>[0]

/** Says once that traces get lost, and once that they go again. The address may hold a password: no words of the error. */
export function loggedExporter(exporter: SpanExporter, log: Log): SpanExporter {
  let isAway = false
  const note = ({ code, error }: Result): void => {
    const failed = code !== 0
    if (failed === isAway) return
    isAway = failed
    if (failed) log.warn({ error: nameOf(error) }, 'traces could not be sent; they are dropped')
    else log.info({}, 'traces are sent again')
  }
  return {
    export: (spans, done) => {
      exporter.export(spans, (result) => {
        note(result)
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && error.code !== undefined ? String(error.code) : error.name
}
