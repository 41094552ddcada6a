import type { EventOf, ProductEvent } from '../../ports/observer.ts'
import type { Meters } from './create-meters.ts'

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
export function countEvent(meters: Meters, toLabel: ToLabel, event: ProductEvent): void {
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
