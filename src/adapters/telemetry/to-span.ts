import { type Attributes, SpanKind } from '@opentelemetry/api'
import type { EventOf, ProductEvent } from '../../ports/observer.ts'
import { sha256 } from '../../util/digest.ts'

/** A span that has just ended. Ids in hexadecimal, as OpenTelemetry has them. */
export interface SpanPlan {
  readonly traceId: string
  readonly spanId: string
  /** undefined: the root of its trace. */
  readonly parentId?: string
  readonly name: string
  readonly kind: SpanKind
  /** Duration in milliseconds. */
  readonly ms: number
  readonly failed: boolean
  readonly attributes: Attributes
}

type Plans = {
  readonly [Kind in ProductEvent['kind']]?: (event: EventOf<Kind>) => SpanPlan | undefined
}

/**
 * The span of an event, if it has one; every process derives the same ids. Names and attributes of model and tool spans follow
 * the semantic conventions for generative AI (opentelemetry.io/docs/specs/semconv/gen-ai).
 */
export function toSpan(event: ProductEvent): SpanPlan | undefined {
  const plan: ((event: never) => SpanPlan | undefined) | undefined = plans[event.kind]
  return plan?.(event as never)
}

const plans: Plans = {
  turn_ended: toTurnSpan,
  model_answered: toModelSpan,
  call_decided: toVerdictSpan,
  call_reviewed: toReviewSpan,
  approval_decided: toApprovalSpan,
  call_ran: toRunSpan,
  call_settled: toCallSpan,
  delivered: toDeliverySpan,
}

function toTurnSpan(event: EventOf<'turn_ended'>): SpanPlan {
  return {
    traceId: traceOf(event.turnId),
    spanId: idOf(`turn ${event.turnId}`),
    name: 'turn',
    kind: SpanKind.SERVER,
    ms: event.ms,
    failed: event.state === 'failed',
    attributes: {
      'gen_ai.conversation.id': event.sessionId,
      'countersign.turn': event.turnId,
      'countersign.turn.state': event.state,
      'countersign.turn.steps': event.steps,
    },
  }
}

function toModelSpan(event: EventOf<'model_answered'>): SpanPlan {
  const { turnId, epoch, step, model, outcome } = event
  return {
    ...inTurn(turnId, `model ${turnId} ${epoch} ${step}`),
    name: `chat ${model}`,
    kind: SpanKind.CLIENT,
    ms: event.ms,
    failed: outcome !== 'done' && outcome !== 'superseded',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': event.provider,
      'gen_ai.request.model': model,
      'gen_ai.usage.input_tokens': event.inputTokens,
      'gen_ai.usage.output_tokens': event.outputTokens,
      'countersign.step': step,
      'countersign.outcome': outcome,
    },
  }
}

/** An instant: the gate's first verdict, before any wait for a person. */
function toVerdictSpan(event: EventOf<'call_decided'>): SpanPlan | undefined {
  if (!event.isFirst) return undefined
  return {
    ...ofCall(event, `verdict ${event.callId}`),
    name: `gate ${event.verdict}`,
    ms: 0,
    attributes: { ...toolOf(event), 'countersign.verdict': event.verdict },
  }
}

function toReviewSpan(event: EventOf<'call_reviewed'>): SpanPlan {
  const { callId, model, outcome } = event
  return {
    ...ofCall(event, `review ${callId}`),
    name: `review ${outcome}`,
    kind: SpanKind.CLIENT,
    ms: event.ms,
    failed: outcome === 'failed',
    attributes: {
      ...toolOf(event),
      'gen_ai.provider.name': event.provider,
      'gen_ai.request.model': model,
      'gen_ai.usage.input_tokens': event.inputTokens,
      'gen_ai.usage.output_tokens': event.outputTokens,
      'countersign.outcome': outcome,
    },
  }
}

function toApprovalSpan(event: EventOf<'approval_decided'>): SpanPlan {
  const { approvalId, decision } = event
  return {
    ...ofCall(event, `approval ${approvalId}`),
    name: `approval ${decision}`,
    ms: event.waitedMs,
    attributes: {
      ...toolOf(event),
      'countersign.approval': approvalId,
      'countersign.decision': decision,
    },
  }
}

function toCallSpan(event: EventOf<'call_settled'>): SpanPlan {
  const { turnId, callId, tool, result, category } = event
  return {
    ...inTurn(turnId, `call ${callId}`),
    name: `execute_tool ${tool}`,
    kind: SpanKind.INTERNAL,
    ms: event.lastedMs,
    failed: result !== 'succeeded',
    attributes: {
      ...toolOf(event),
      'countersign.result': result,
      'countersign.attempt': event.attempt,
      ...(category === undefined ? {} : { 'error.type': category }),
    },
  }
}

function toRunSpan(event: EventOf<'call_ran'>): SpanPlan {
  const { callId, attempt, job, outcome, category } = event
  return {
    ...ofCall(event, `${job} ${callId} ${attempt}`),
    name: `${job} ${event.tool}`,
    kind: SpanKind.CONSUMER,
    ms: event.ms,
    failed: outcome === 'failed' || outcome === 'interrupted',
    attributes: {
      ...toolOf(event),
      'countersign.attempt': attempt,
      'countersign.outcome': outcome,
      'countersign.worker': event.worker,
      'countersign.replica': event.replica,
      'countersign.box_wait_ms': event.waitedMs,
      ...(category === undefined ? {} : { 'error.type': category }),
    },
  }
}

/** From the creation of the outbox row to delivery; only for messages of a turn, and not for each attempt. */
function toDeliverySpan(event: EventOf<'delivered'>): SpanPlan | undefined {
  const { turnId, outboxId, what, outcome, waitedMs, ms } = event
  if (turnId === undefined || outcome === 'put_off') return undefined
  return {
    ...inTurn(turnId, `delivery ${outboxId}`),
    name: `deliver ${what}`,
    kind: SpanKind.PRODUCER,
    ms: waitedMs + ms,
    failed: outcome === 'given_up',
    attributes: {
      'messaging.system': event.platform,
      'countersign.outbox': outboxId,
      'countersign.outcome': outcome,
      'countersign.outbox_wait_ms': waitedMs,
    },
  }
}

type Call = { readonly turnId: string; readonly callId: string; readonly tool: string }

function ofCall({ turnId, callId }: Call, key: string) {
  return {
    traceId: traceOf(turnId),
    spanId: idOf(key),
    parentId: idOf(`call ${callId}`),
    kind: SpanKind.INTERNAL,
    failed: false,
  }
}

function inTurn(turnId: string, key: string) {
  return { traceId: traceOf(turnId), spanId: idOf(key), parentId: idOf(`turn ${turnId}`) }
}

function toolOf({ tool, callId }: Call): Attributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'gen_ai.tool.call.id': callId,
  }
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The trace id is the turn's id, so that either leads to the other. */
function traceOf(turnId: string): string {
  return uuid.test(turnId) ? turnId.replaceAll('-', '') : sha256(turnId).slice(0, 32)
}

function idOf(key: string): string {
  return sha256(key).slice(0, 16)
}
