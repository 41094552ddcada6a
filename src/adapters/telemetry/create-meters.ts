import { Counter, Histogram, type Registry } from 'prom-client'

/** Buckets for work, from a warm file tool to a long command, in seconds. */
const ofWork = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600]
/** Buckets for people's reactions, from an immediate tap to one the next day, in seconds. */
const ofPeople = [1, 5, 15, 30, 60, 300, 900, 3_600, 14_400, 43_200, 86_400]

export type Meters = ReturnType<typeof createMeters>

/** All counters and histograms. Labels have few values: never a person, conversation, turn or call. */
export function createMeters(register: Registry) {
  return {
    ...ofMessages(register),
    ...ofTurns(register),
    ...ofCalls(register),
    ...ofApprovals(register),
    ...ofWorkers(register),
    gaugeFailures: counter(register, 'gauge_failures_total', 'Failed reads of gauges.', ['gauge']),
  }
}

function ofMessages(register: Registry) {
  return {
    messages: counter(register, 'messages_total', 'Messages and taps that were handled.', [
      'platform',
      'act',
    ]),
    putAside: counter(
      register,
      'messages_put_aside_total',
      'Messages and taps that could not be handled.',
      ['platform'],
    ),
    deliveries: counter(register, 'deliveries_total', 'Attempts to deliver messages to people.', [
      'platform',
      'what',
      'outcome',
    ]),
    deliveryWait: histogram(
      register,
      'delivery_wait_seconds',
      'Time from a message’s row in the outbox to its delivery.',
      ofWork,
      ['platform'],
    ),
  }
}

function ofTurns(register: Registry) {
  return {
    turnsStarted: counter(register, 'turns_started_total', 'Turns started.', ['sort']),
    turns: counter(register, 'turns_total', 'Turns ended.', ['state']),
    turnSeconds: histogram(
      register,
      'turn_seconds',
      'Duration of turns, including the time people took to answer.',
      [...ofWork, ...ofPeople.filter((seconds) => seconds > 600)],
      ['state'],
    ),
    steps: counter(register, 'steps_total', 'Steps ended.', []),
    modelCalls: counter(register, 'model_calls_total', 'Model calls.', ['model', 'outcome']),
    modelSeconds: histogram(register, 'model_seconds', 'Duration of a model call.', ofWork, [
      'model',
    ]),
    tokens: counter(
      register,
      'tokens_total',
      'Tokens; input includes tokens read from and written to caches.',
      ['model', 'kind'],
    ),
    cost: counter(register, 'cost_usd_total', 'Cost by the configured prices.', ['model']),
  }
}

function ofCalls(register: Registry) {
  return {
    verdicts: counter(register, 'calls_total', 'Tool calls by the gate’s first verdict.', [
      'tool',
      'verdict',
    ]),
    results: counter(register, 'call_results_total', 'Results of tool calls.', [
      'tool',
      'result',
      'category',
    ]),
    callSeconds: histogram(
      register,
      'call_seconds',
      'Duration of tool calls at the worker.',
      ofWork,
      ['tool'],
    ),
    reviews: counter(register, 'call_reviews_total', 'Reviews of calls by a second model.', [
      'model',
      'outcome',
    ]),
    reviewSeconds: histogram(register, 'call_review_seconds', 'Duration of a review.', ofWork, [
      'model',
    ]),
    sent: counter(register, 'calls_sent_total', 'Jobs sent to workers.', ['worker']),
    resent: counter(register, 'calls_resent_total', 'Unanswered jobs that were sent again.', [
      'worker',
    ]),
    late: counter(register, 'results_late_total', 'Results that arrived too late.', ['worker']),
    anomalies: counter(register, 'tool_anomalies_total', 'Tools that started to fail too often.', [
      'tool',
    ]),
    dropped: counter(
      register,
      'worker_messages_dropped_total',
      'Dropped messages without the signature of an enrolled worker for a call of its own.',
      [],
    ),
  }
}

function ofApprovals(register: Registry) {
  return {
    asked: counter(register, 'approvals_asked_total', 'Approvals requested.', ['tool', 'risk']),
    decided: counter(register, 'approvals_decided_total', 'Approvals ended.', ['decision']),
    decisionSeconds: histogram(
      register,
      'approval_decision_seconds',
      'Time from an approval’s request to its end.',
      ofPeople,
      ['decision'],
    ),
  }
}

function ofWorkers(register: Registry) {
  return {
    jobs: counter(register, 'jobs_taken_total', 'Jobs taken by this worker.', ['tool', 'job']),
    refused: counter(register, 'jobs_refused_total', 'Jobs refused by this worker.', []),
    runs: counter(register, 'runs_total', 'Calls executed by this worker.', ['tool', 'outcome']),
    filters: counter(register, 'filters_total', 'Outputs that a filter processed.', [
      'rule',
      'confidence',
    ]),
    runWait: histogram(
      register,
      'run_wait_seconds',
      'Time from taking a job to its start: waiting for a slot and a box.',
      ofWork,
      [],
    ),
    boxStarts: counter(register, 'sandbox_starts_total', 'Boxes started.', ['driver', 'result']),
    boxSeconds: histogram(register, 'sandbox_start_seconds', 'Time to start a box.', ofWork, [
      'driver',
    ]),
  }
}

function counter<Label extends string>(
  register: Registry,
  name: string,
  help: string,
  labelNames: readonly Label[],
): Counter<Label> {
  return new Counter({ name: `countersign_${name}`, help, labelNames, registers: [register] })
}

function histogram<Label extends string>(
  register: Registry,
  name: string,
  help: string,
  buckets: readonly number[],
  labelNames: readonly Label[],
): Histogram<Label> {
  return new Histogram({
    name: `countersign_${name}`,
    help,
    buckets: [...buckets],
    labelNames,
    registers: [register],
  })
}
