import type { ToolRequest, TranscriptMessage, Usage } from '../domain/message.ts'

/** A tool as the model is shown it. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly schema: Readonly<Record<string, unknown>>
}

/** One question to a model: the whole transcript, every time. */
export interface ModelRequest {
  readonly system: string
  readonly messages: readonly TranscriptMessage[]
  /** Sorted by name; empty: none offered. */
  readonly tools: readonly ModelTool[]
  /** `none` forbids tool calls (the last step at the cap). */
  readonly toolChoice: 'auto' | 'none'
  /** Stable for a session; used for provider-side prompt caches. */
  readonly cacheKey: string
  readonly signal: AbortSignal
  /** Called with text as it comes; the final text does not depend on it. */
  readonly onText?: (text: string) => void
}

/** All that a model gave: text, calls that it asks for, or both; both may be empty. */
export interface ModelAnswer {
  readonly text: string
  /** MODEL-02: the text for people, where calls stand in `text` as blocks. */
  readonly spoken?: string
  /** Arguments are JSON text as the model wrote it; it may be malformed. */
  readonly calls: readonly ToolRequest[]
  readonly usage: Usage
  /** To be replayed byte-exact in later requests to the same provider. */
  readonly raw?: unknown
}

/** Whose fault a failed model call is. `too_long`: the prompt is longer than the model takes in. `aborted`: the signal fired. */
export type ModelFailureKind =
  | 'refused'
  | 'too_long'
  | 'rate_limited'
  | 'unreachable'
  | 'broken'
  | 'aborted'

/** A model call that gave no answer. Its message is one line for people, without secrets and without the request. */
export class ModelError extends Error {
  readonly kind: ModelFailureKind
  /** From Retry-After, when the provider sent one. */
  readonly retryAfterMs: number | undefined
  /** The same request may succeed later: what is not refused, and what broke for want of a connection. */
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

/** One language model. A call is one request: tools are never run here. Rejects with ModelError only. */
export interface Model {
  readonly provider: 'anthropic' | 'openai' | 'ollama' | 'offline'
  readonly name: string
  readonly nativeTools: boolean
  /** MODEL-02: why `nativeTools` is only assumed, in words without full stop; it may change until this is gone. */
  readonly doubt?: string | undefined
  /** The tokens that it takes in; undefined: not known. */
  readonly contextTokens?: number | undefined
  answer(request: ModelRequest): Promise<ModelAnswer>
}
