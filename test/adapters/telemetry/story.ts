import type { ProductEvent } from '../../../src/ports/observer.ts'
import { newId } from '../../../src/util/ids.ts'

/** What three processes are told of one message with one question and one command. */
export interface Story {
  readonly turnId: string
  readonly callId: string
  readonly ofGateway: readonly ProductEvent[]
  readonly ofAgent: readonly ProductEvent[]
  readonly ofWorker: readonly ProductEvent[]
}

/** One of its own each time. `fails`: the command takes too long, and the turn ends badly. */
export function story({ fails = false }: { readonly fails?: boolean } = {}): Story {
  const ids = { turnId: newId(), callId: newId(), conversationId: newId(), sessionId: newId() }
  return {
    ...ids,
    ofGateway: gatewayEvents(ids),
    ofAgent: agentEvents(ids, fails),
    ofWorker: workerEvents(ids, fails),
  }
}

interface Ids {
  readonly turnId: string
  readonly callId: string
  readonly conversationId: string
  readonly sessionId: string
}

function gatewayEvents({ turnId, callId, conversationId, sessionId }: Ids): ProductEvent[] {
  const call = { turnId, callId, tool: 'bash' }
  const to = { platform: 'telegram', conversationId }
  return [
    { kind: 'turn_started', turnId, sort: 'message', conversationId, sessionId },
    { kind: 'message_handled', ...to, act: 'message', eventId: newId(), turnId },
    {
      kind: 'approval_decided',
      ...call,
      approvalId: newId(),
      conversationId,
      decision: 'approved',
      waitedMs: 5_000,
    },
    { kind: 'message_handled', ...to, act: 'tap', eventId: newId(), turnId },
    {
      kind: 'delivered',
      ...to,
      what: 'answer',
      outcome: 'sent',
      outboxId: 7,
      turnId,
      waitedMs: 20,
      ms: 100,
    },
  ]
}

function agentEvents({ turnId, callId, conversationId, sessionId }: Ids, fails: boolean) {
  const call = { turnId, callId, tool: 'bash' }
  const events: ProductEvent[] = [
    {
      kind: 'model_answered',
      turnId,
      epoch: 1,
      step: 1,
      provider: 'anthropic',
      model: 'claude',
      outcome: 'done',
      ms: 1_500,
      inputTokens: 100,
      outputTokens: 10,
      cacheReadTokens: 80,
      cacheWriteTokens: 5,
      costUsd: 0.25,
    },
    { kind: 'call_decided', ...call, verdict: 'ask', isFirst: true },
    { kind: 'approval_asked', ...call, approvalId: newId(), conversationId, risk: 'medium' },
    { kind: 'call_sent', ...call, attempt: 1, worker: 'default' },
    {
      kind: 'call_settled',
      ...call,
      attempt: 1,
      result: fails ? 'failed' : 'succeeded',
      ...(fails ? { category: 'timeout' } : {}),
      ms: 400,
      lastedMs: 7_000,
      worker: 'default',
      replica: 'r1',
      driver: 'bubblewrap',
    },
    {
      kind: 'turn_ended',
      turnId,
      sort: 'message',
      sessionId,
      state: fails ? 'failed' : 'done',
      steps: 2,
      ms: 9_000,
    },
  ]
  return events
}

function workerEvents({ turnId, callId, conversationId }: Ids, fails: boolean): ProductEvent[] {
  const at = { worker: 'default', replica: 'r1' }
  const call = { turnId, callId, tool: 'bash', job: 'run', attempt: 1 } as const
  return [
    { kind: 'job_taken', ...call, ...at },
    { kind: 'box_started', ...at, conversationId, driver: 'bubblewrap', ok: true, ms: 80 },
    {
      kind: 'call_ran',
      ...call,
      ...at,
      outcome: fails ? 'failed' : 'succeeded',
      ...(fails ? ({ category: 'timeout' } as const) : {}),
      waitedMs: 90,
      ms: 400,
    },
  ]
}
