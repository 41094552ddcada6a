import { type Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { EventOf, Observer, ProductEvent } from '../../ports/observer.ts'
import { withinMs } from '../../util/abort.ts'
import { shareInFlight } from '../../util/each-of.ts'
import { createMeters, type Meters } from './create-meters.ts'

/** The longest time that a scrape waits for one gauge, in milliseconds. */
const longestReadMs = 2_000

const failed: unique symbol = Symbol('failed')

/** PROC-05: this process's counters and gauges in Prometheus' text format. */
export interface Prometheus {
  readonly observer: Observer
  readonly contentType: string
  /** All metrics at this moment. A gauge that cannot be read within 2 s is left out. */
  text(): Promise<string>
  /** Adds a gauge to the result of `text`. */
  gauge(watched: GaugeSource): void
}

interface PrometheusOptions {
  /** Tool names allowed as label values; any other tool is `other`. */
  readonly tools: readonly string[]
  /** Whether to include memory, CPU and event loop metrics of the process. */
  readonly withProcess?: boolean
  /** The labels of `build_info`, such as the version; absent: no such metric. */
  readonly build?: Readonly<Record<string, string>>
}

/** Uses a registry of its own: one process may hold several. */
export function createPrometheus(options: PrometheusOptions): Prometheus {
  const { tools, withProcess = false, build } = options
  const register = new Registry()
  if (withProcess) collectDefaultMetrics({ register })
  if (build !== undefined) addBuildInfo(register, build)
  const meters = createMeters(register)
  const known = new Set(tools)
  const toLabel = (tool: string): string => (known.has(tool) ? tool : 'other')
  return {
    observer: { record: (event) => countEvent(meters, toLabel, event) },
    contentType: register.contentType,
    text: shareInFlight(() => register.metrics()),
    gauge: (watched) => watchGauge(register, meters.gaugeFailures, watched),
  }
}

/** Always 1; the labels describe the build, to be joined with other metrics. */
function addBuildInfo(register: Registry, build: Readonly<Record<string, string>>): void {
  new Gauge({
    name: 'countersign_build_info',
    help: 'The version that runs, as labels.',
    labelNames: Object.keys(build),
    registers: [register],
  }).set(build, 1)
}

/** One number, or one per value of the gauge's label; undefined: no value. */
type Reading = number | Readonly<Record<string, number>> | undefined

/** A gauge that is read at each scrape. */
interface GaugeSource {
  /** Without the prefix. */
  readonly name: string
  readonly help: string
  /** The label that tells the numbers of `read` apart; absent: `read` gives one number. */
  readonly label?: string
  readonly read: () => Promise<Reading>
}

/** Registers a gauge. If a read fails it has no value, since the last one may be outdated. */
function watchGauge(register: Registry, failures: Counter<'gauge'>, watched: GaugeSource): void {
  const { name, help, label } = watched
  // A hanging read is not started again before it ends.
  const read = shareInFlight(watched.read)
  new Gauge<string>({
    name: `countersign_${name}`,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [register],
    async collect() {
      this.reset()
      if (label === undefined) this.remove()
      const reading = await attempt(read)
      if (reading === failed) failures.inc({ gauge: name })
      else set(this, label, reading)
    },
  })
}

async function attempt(read: () => Promise<Reading>): Promise<Reading | typeof failed> {
  try {
    return await withinMs(read(), longestReadMs, failed)
  } catch {
    return failed
  }
}

function set(gauge: Gauge, label: string | undefined, reading: Reading): void {
  if (typeof reading === 'number') gauge.set(reading)
  if (typeof reading !== 'object' || label === undefined) return
  for (const [value, number] of Object.entries(reading)) gauge.set({ [label]: value }, number)
}

/** Maps a tool to its label value: unregistered names would be unlimited in number. */
type ToLabel = (tool: string) => string

type Counting = {
  readonly [Kind in ProductEvent['kind']]: (
    meters: Meters,
    event: EventOf<Kind>,
    toLabel: ToLabel,
  ) => void
}

/** Adds one event to the metrics. */
function countEvent(meters: Meters, toLabel: ToLabel, event: ProductEvent): void {
  const count: (meters: Meters, event: never, toLabel: ToLabel) => void = counting[event.kind]
  count(meters, event as never, toLabel)
}

const counting: Counting = {
  message_handled: ({ messages }, { platform, act }) => messages.inc({ platform, act }),
  message_dead_lettered: ({ putAside }, { platform }) => putAside.inc({ platform }),
  delivered: ({ deliveries, deliveryWait }, { platform, what, outcome, waitedMs }) => {
    deliveries.inc({ platform, what, outcome })
    if (outcome === 'sent') deliveryWait.observe({ platform }, waitedMs / 1000)
  },
  turn_started: ({ turnsStarted }, { sort }) => turnsStarted.inc({ sort }),
  model_answered: countModelCall,
  turn_ended: ({ turns, turnSeconds, steps }, event) => {
    turns.inc({ state: event.state })
    turnSeconds.observe({ state: event.state }, event.ms / 1000)
    steps.inc(event.steps)
  },
  call_decided: ({ verdicts }, { tool, verdict, isFirst }, toLabel) => {
    if (isFirst) verdicts.inc({ tool: toLabel(tool), verdict })
  },
  call_reviewed: (meters, event) => {
    const { model, outcome, ms } = event
    meters.reviews.inc({ model, outcome })
    meters.reviewSeconds.observe({ model }, ms / 1000)
    countTokens(meters, event)
  },
  call_sent: ({ sent }, { worker }) => sent.inc({ worker }),
  call_resent: ({ resent }, { worker }) => resent.inc({ worker }),
  // Workers announce only calls that last a while, so a count would be misleading.
  call_started: () => undefined,
  call_settled: ({ results, callSeconds }, event, toLabel) => {
    const { result, category = 'none', attempt, ms } = event
    const tool = toLabel(event.tool)
    results.inc({ tool, result, category })
    if (attempt > 0) callSeconds.observe({ tool }, ms / 1000)
  },
  result_late: ({ late }, { worker }) => late.inc({ worker }),
  tool_anomaly: ({ anomalies }, { tool }, toLabel) => anomalies.inc({ tool: toLabel(tool) }),
  worker_message_dropped: ({ dropped }) => dropped.inc(),
  approval_asked: ({ asked }, { tool, risk }, toLabel) => asked.inc({ tool: toLabel(tool), risk }),
  approval_decided: ({ decided, decisionSeconds }, { decision, waitedMs }) => {
    decided.inc({ decision })
    decisionSeconds.observe({ decision }, waitedMs / 1000)
  },
  job_taken: ({ jobs }, { tool, job }, toLabel) => jobs.inc({ tool: toLabel(tool), job }),
  job_refused: ({ refused }) => refused.inc(),
  box_started: ({ boxStarts, boxSeconds }, { driver, ok, ms }) => {
    boxStarts.inc({ driver, result: ok ? 'started' : 'failed' })
    boxSeconds.observe({ driver }, ms / 1000)
  },
  call_ran: ({ runs, runWait, filters }, { tool, outcome, waitedMs, ...event }, toLabel) => {
    runs.inc({ tool: toLabel(tool), outcome })
    for (const { name, confidence } of event.filters ?? []) filters.inc({ rule: name, confidence })
    runWait.observe(waitedMs / 1000)
  },
}

function countModelCall(meters: Meters, event: EventOf<'model_answered'>): void {
  const { model, outcome } = event
  meters.modelCalls.inc({ model, outcome })
  meters.modelSeconds.observe({ model }, event.ms / 1000)
  countTokens(meters, event)
}

function countTokens(meters: Meters, event: EventOf<'model_answered' | 'call_reviewed'>): void {
  const { model } = event
  meters.tokens.inc({ model, kind: 'input' }, event.inputTokens)
  meters.tokens.inc({ model, kind: 'output' }, event.outputTokens)
  meters.tokens.inc({ model, kind: 'cache_read' }, event.cacheReadTokens)
  meters.tokens.inc({ model, kind: 'cache_write' }, event.cacheWriteTokens)
  if (event.costUsd !== undefined) meters.cost.inc({ model }, event.costUsd)
}
