import type { ApprovalState } from '../domain/approval.ts'
import type { Risk } from '../domain/risk.ts'
import type { settledCallStates } from '../domain/tool/tool-call.ts'
import type { ToolErrorCategory } from '../domain/tool/tool-error.ts'
import type { TurnKind, TurnState } from '../domain/turn.ts'
import type { Action } from '../domain/verdict.ts'
import type { ModelFailureKind } from './model.ts'

/**
 * Hears what happened, once it is sure: metrics, log lines and traces are three forms of the same events. Told in the midst
 * of the work, so it costs microseconds, never throws and keeps nobody waiting; what it drops changes nothing.
 */
export interface Observer {
  told(event: ProductEvent): void
}

/** Something that happened: ids, names, numbers and durations only, never arguments, output, words of people or secrets. */
export type ProductEvent = InboxEvent | TurnEvent | CallEvent | ApprovalEvent | WorkerEvent

/** The events of one kind. */
export type EventOf<Kind extends ProductEvent['kind']> = Extract<
  ProductEvent,
  { readonly kind: Kind }
>

/** Where a turn's event belongs. */
interface OfTurn {
  readonly turnId: string
}

/** Where a call's event belongs. */
interface OfCall extends OfTurn {
  readonly callId: string
  readonly tool: string
}

/** Of messages between people and the product. Durations in milliseconds, here and below. */
export type InboxEvent =
  /** What a person did was acted on; `turnId`: of the turn that it started, or that it was about. */
  | {
      readonly kind: 'message_handled'
      readonly platform: string
      readonly act: 'message' | 'tap' | 'decision' | 'shell' | 'stop'
      readonly conversationId: string
      readonly eventId: string
      readonly turnId?: string
    }
  /** It could not be, several times, and was put aside. */
  | {
      readonly kind: 'message_put_aside'
      readonly platform: string
      readonly conversationId: string
      readonly eventId: string
    }
  /** One try to deliver a message of the outbox; `waitedMs`: from its row to this try, which took `ms`. */
  | {
      readonly kind: 'delivered'
      readonly platform: string
      readonly what:
        | 'answer'
        | 'remark'
        | 'notice'
        | 'card'
        | 'card_update'
        | 'batch'
        | 'batch_update'
      readonly outcome: 'sent' | 'put_off' | 'gone' | 'given_up'
      readonly conversationId: string
      readonly outboxId: number
      readonly turnId?: string
      readonly waitedMs: number
      readonly ms: number
    }

/** Of turns and their model calls: who began, what a call of the model took, how a turn ended. */
export type TurnEvent =
  | (OfTurn & {
      readonly kind: 'turn_started'
      readonly sort: TurnKind
      readonly conversationId: string
      readonly sessionId: string
    })
  /** A model call ended; `superseded`: what it gave was dropped, as the turn was over or somebody else's. */
  | (OfTurn & {
      readonly kind: 'model_answered'
      readonly epoch: number
      readonly step: number
      readonly provider: string
      readonly model: string
      readonly outcome: 'done' | 'superseded' | ModelFailureKind
      readonly ms: number
      readonly inputTokens: number
      readonly outputTokens: number
      readonly cacheReadTokens: number
      readonly cacheWriteTokens: number
      readonly costUsd?: number
    })
  /** `steps`: model calls that counted. */
  | (OfTurn & {
      readonly kind: 'turn_ended'
      readonly sort: TurnKind
      readonly sessionId: string
      readonly state: Extract<TurnState, 'done' | 'stopped' | 'failed'>
      readonly steps: number
      readonly ms: number
    })

/** Of tool calls: judged, sent, begun, ended; and what came too late or from nobody known. */
export type CallEvent =
  /**
   * The gate's word; `unjudged`: no such tool, arguments that do not fit it, or over a limit. `isFirst`: not when it is
   * judged again later and refused, or asked about anew.
   */
  | (OfCall & {
      readonly kind: 'call_decided'
      readonly verdict: Action | 'unjudged'
      readonly isFirst: boolean
    })
  /** POL-05: a second model was asked about it; one that gave no answer told nothing of tokens. */
  | (OfCall & {
      readonly kind: 'call_reviewed'
      readonly provider: string
      readonly model: string
      readonly outcome: 'allow' | 'reject' | 'failed'
      readonly ms: number
      readonly inputTokens: number
      readonly outputTokens: number
      readonly cacheReadTokens: number
      readonly cacheWriteTokens: number
      readonly costUsd?: number
    })
  | (OfCall & { readonly kind: 'call_sent'; readonly attempt: number; readonly worker: string })
  /** Nobody had answered: the same attempt was sent again. */
  | (OfCall & { readonly kind: 'call_resent'; readonly attempt: number; readonly worker: string })
  /** A worker says that it runs, `waitedMs` after it was sent. */
  | (OfCall & {
      readonly kind: 'call_started'
      readonly attempt: number
      readonly worker: string
      readonly replica: string
      readonly waitedMs: number
    })
  /** `ms`: of the run alone; `lastedMs`: since the model asked for it. `attempt` 0: it was never sent. */
  | (OfCall & {
      readonly kind: 'call_settled'
      readonly attempt: number
      readonly result: (typeof settledCallStates)[number]
      readonly category?: string
      readonly ms: number
      readonly lastedMs: number
      readonly worker?: string
      readonly replica?: string
      readonly driver?: string
    })
  /** A result that came when the call had ended already, or was at another attempt; it changed nothing. */
  | (OfCall & {
      readonly kind: 'result_late'
      readonly attempt: number
      readonly worker: string
      readonly replica: string
    })
  /** POL-04: a tool began to fail too often; `failureRate`: the share of its last executions. */
  | {
      readonly kind: 'tool_anomaly'
      readonly tool: string
      readonly failureRate: number
      readonly failed: number
      readonly executions: number
      readonly blocked: boolean
    }
  /** A message that no enrolled worker sent for a call of its own (threat 5). */
  | {
      readonly kind: 'worker_message_dropped'
      readonly worker?: string
      readonly replica?: string
    }

/** Of questions to people: asked, and how they ended. */
export type ApprovalEvent =
  | (OfCall & {
      readonly kind: 'approval_asked'
      readonly approvalId: string
      readonly conversationId: string
      readonly risk: Risk
    })
  /** How a question ended, whoever ended it. */
  | (OfCall & {
      readonly kind: 'approval_decided'
      readonly approvalId: string
      readonly conversationId: string
      readonly decision: Exclude<ApprovalState, 'pending' | 'superseded'> | 'always'
      readonly waitedMs: number
    })

/** Told by a worker's replica. */
export type WorkerEvent =
  | (OfCall & AtReplica & { readonly kind: 'job_taken'; readonly job: 'run' | 'preview' })
  /** Unsigned, forged, expired or another worker's. The ids are there only when it is an agent's true word. */
  | {
      readonly kind: 'job_refused'
      readonly worker: string
      readonly replica: string
      readonly turnId?: string
      readonly callId?: string
    }
  | {
      readonly kind: 'box_started'
      readonly worker: string
      readonly replica: string
      readonly conversationId: string
      readonly driver: string
      readonly ok: boolean
      readonly ms: number
    }
  /** `waitedMs`: for a place and a box; `ms`: of the run alone. */
  | (OfCall &
      AtReplica & {
        readonly kind: 'call_ran'
        readonly job: 'run' | 'preview'
        /** `elsewhere`, `changed`, `refused`: nothing was done. `unchanged`: nothing had to be (OUT-11). */
        readonly outcome:
          | 'succeeded'
          | 'failed'
          | 'interrupted'
          | 'elsewhere'
          | 'changed'
          | 'unchanged'
          | 'refused'
          | 'preview'
          | 'programs'
        readonly category?: ToolErrorCategory
        /** OUT-06: the filters that its output went through. */
        readonly filters?: readonly { readonly name: string; readonly confidence: string }[]
        readonly waitedMs: number
        readonly ms: number
      })

interface AtReplica {
  readonly attempt: number
  readonly worker: string
  readonly replica: string
}

/** For whom nobody listens. */
export const silentObserver: Observer = { told: () => undefined }
