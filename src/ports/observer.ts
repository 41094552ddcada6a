import type { ApprovalState } from '../domain/approval.ts'
import type { settledCallStates } from '../domain/tool/tool-call.ts'
import type { ToolErrorCategory } from '../domain/tool/tool-error.ts'
import type { TurnKind, TurnState } from '../domain/turn.ts'
import type { Action, Risk } from '../domain/verdict.ts'
import type { ModelFailureKind } from './model.ts'

/**
 * Records committed events for metrics, log lines and traces. Called in the middle of the work: it takes
 * microseconds, never throws and never blocks. Dropping an event changes nothing.
 */
export interface Observer {
  record(event: ProductEvent): void
}

/** Event with ids, names, numbers and durations only, never arguments, output, text of people or secrets. */
export type ProductEvent = InboxEvent | TurnEvent | CallEvent | ApprovalEvent | WorkerEvent

/** Events of one kind. */
export type EventOf<Kind extends ProductEvent['kind']> = Extract<
  ProductEvent,
  { readonly kind: Kind }
>

/** Turn that an event belongs to. */
interface OfTurn {
  readonly turnId: string
}

/** Call that an event belongs to. */
interface OfCall extends OfTurn {
  readonly callId: string
  readonly tool: string
}

/** Events of messages between people and the product. Durations in milliseconds, here and below. */
export type InboxEvent =
  /** An act of a person was handled; `turnId` is the turn that it started or concerned. */
  | {
      readonly kind: 'message_handled'
      readonly platform: string
      readonly act: 'message' | 'tap' | 'decision' | 'shell' | 'stop'
      readonly conversationId: string
      readonly eventId: string
      readonly turnId?: string
    }
  /** An act failed several times and became a dead letter. */
  | {
      readonly kind: 'message_dead_lettered'
      readonly platform: string
      readonly conversationId: string
      readonly eventId: string
    }
  /**
   * One attempt to deliver a message of the outbox. `waitedMs`: from the creation of its row to this attempt, which
   * took `ms`.
   */
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

/** Events of turns and their model calls. */
export type TurnEvent =
  | (OfTurn & {
      readonly kind: 'turn_started'
      readonly sort: TurnKind
      readonly conversationId: string
      readonly sessionId: string
    })
  /** A model call ended. `superseded`: its answer was dropped, since the turn had ended or another agent held it. */
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
  /** `steps`: number of model calls that count towards the limit. */
  | (OfTurn & {
      readonly kind: 'turn_ended'
      readonly sort: TurnKind
      readonly sessionId: string
      readonly state: Extract<TurnState, 'done' | 'stopped' | 'failed'>
      readonly steps: number
      readonly ms: number
    })

/** Events of tool calls. */
export type CallEvent =
  /**
   * Verdict of the gate. `unjudged`: unknown tool, invalid arguments, or over a limit. `isFirst`: false if the call
   * was evaluated again later.
   */
  | (OfCall & {
      readonly kind: 'call_decided'
      readonly verdict: Action | 'unjudged'
      readonly isFirst: boolean
    })
  /** POL-05: a second model reviewed the call. A failed review reports no tokens. */
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
  /** The same attempt was sent again, since no worker had answered. */
  | (OfCall & { readonly kind: 'call_resent'; readonly attempt: number; readonly worker: string })
  /** A worker reported that the call runs, `waitedMs` after it was sent. */
  | (OfCall & {
      readonly kind: 'call_started'
      readonly attempt: number
      readonly worker: string
      readonly replica: string
      readonly waitedMs: number
    })
  /** `ms`: duration of the run; `lastedMs`: since the model asked for it. `attempt` is 0 if the call was never sent. */
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
  /** A result arrived after the call had ended or moved to another attempt; it changed nothing. */
  | (OfCall & {
      readonly kind: 'result_late'
      readonly attempt: number
      readonly worker: string
      readonly replica: string
    })
  /** POL-04: a tool's failure rate, over its last executions, crossed the threshold. */
  | {
      readonly kind: 'tool_anomaly'
      readonly tool: string
      readonly failureRate: number
      readonly failed: number
      readonly executions: number
      readonly blocked: boolean
    }
  /** A worker message was dropped: not from an enrolled worker, or not for one of its calls (threat 5). */
  | {
      readonly kind: 'worker_message_dropped'
      readonly worker?: string
      readonly replica?: string
    }

/** Events of approvals. */
export type ApprovalEvent =
  | (OfCall & {
      readonly kind: 'approval_asked'
      readonly approvalId: string
      readonly conversationId: string
      readonly risk: Risk
    })
  /** An approval ended, by whatever cause. */
  | (OfCall & {
      readonly kind: 'approval_decided'
      readonly approvalId: string
      readonly conversationId: string
      readonly decision: Exclude<ApprovalState, 'pending' | 'superseded'> | 'always'
      readonly waitedMs: number
    })

/** Events of one worker replica. */
export type WorkerEvent =
  | (OfCall & AtReplica & { readonly kind: 'job_taken'; readonly job: 'run' | 'preview' })
  /**
   * The job was unsigned, forged, expired or meant for another worker. Ids are present only if an agent's signature
   * vouches for them.
   */
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
  /** `waitedMs`: for a free slot and a box; `ms`: duration of the run. */
  | (OfCall &
      AtReplica & {
        readonly kind: 'call_ran'
        readonly job: 'run' | 'preview'
        /** `elsewhere`, `changed`, `refused`: nothing was done. `unchanged`: nothing had to be done (OUT-11). */
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
        /** OUT-06: filters that were applied to the output. */
        readonly filters?: readonly { readonly name: string; readonly confidence: string }[]
        readonly waitedMs: number
        readonly ms: number
      })

interface AtReplica {
  readonly attempt: number
  readonly worker: string
  readonly replica: string
}

/** Observer that ignores all events. */
export const silentObserver: Observer = { record: () => undefined }
