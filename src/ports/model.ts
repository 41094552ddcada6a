import type { ToolRequest, TranscriptMessage, Usage } from '../domain/message.ts'
import type { CallBlock } from '../domain/tool/tool-call.ts'

/** Tool as presented to the model. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly schema: Readonly<Record<string, unknown>>
  /** How a model without native tool calls may write a call of it, besides as JSON with its name. */
  readonly block?: CallBlock
}

/** Request to a model, with the whole transcript. */
export interface ModelRequest {
  readonly system: string
  readonly messages: readonly TranscriptMessage[]
  /** Tools sorted by name; empty if none are offered. */
  readonly tools: readonly ModelTool[]
  /** `none` forbids tool calls, at the last step before the limit. */
  readonly toolChoice: 'auto' | 'none'
  /** Key that is stable for a session, for prompt caches of providers. */
  readonly cacheKey: string
  readonly signal: AbortSignal
  /** Called with pieces of text as they stream in; the final text does not depend on it. */
  readonly onText?: (text: string) => void
}

/** Answer of a model: text, calls, or both; both may be empty. */
export interface ModelAnswer {
  readonly text: string
  /** MODEL-02: text shown to people, if `text` contains calls as blocks. */
  readonly spoken?: string
  /** Arguments are JSON text as the model wrote it, possibly malformed. */
  readonly calls: readonly ToolRequest[]
  readonly usage: Usage
  /** Data to be replayed byte for byte in later requests to the same provider. */
  readonly raw?: unknown
}

/** Cause of a failed model call. `too_long`: the prompt exceeds the context window. `aborted`: the signal fired. */
export type ModelFailureKind =
  | 'refused'
  | 'too_long'
  | 'rate_limited'
  | 'unreachable'
  | 'broken'
  | 'aborted'

/** Failure of a model call. Its message is one line for people, without secrets and without the request. */
export class ModelError extends Error {
  readonly kind: ModelFailureKind
  /** Value of Retry-After, if the provider sent one. */
  readonly retryAfterMs: number | undefined
  /** True if the same request may succeed later: it was rate-limited, or the connection failed. */
  readonly isRetryable: boolean

  constructor(
    kind: ModelFailureKind,
    message: string,
    options?: ErrorOptions & { retryAfterMs?: number; isRetryable?: boolean },
  ) {
    super(message, options)
    this.isRetryable = options?.isRetryable ?? (kind === 'rate_limited' || kind === 'unreachable')
    this.name = 'ModelError'
    this.kind = kind
    this.retryAfterMs = options?.retryAfterMs
  }
}

/** Language model. One call is one request; tools are not run here. Rejects with ModelError only. */
export interface Model {
  /** By its name in the configuration. */
  readonly provider: string
  readonly name: string
  readonly nativeTools: boolean
  /** MODEL-02: why `nativeTools` is only assumed, in words without a full stop. `nativeTools` may change while this is set. */
  readonly doubt?: string | undefined
  /** Context window in tokens; undefined if unknown. */
  readonly contextTokens?: number | undefined
  answer(request: ModelRequest): Promise<ModelAnswer>
}
