/** Tool call requested by the model. `arguments` is the exact JSON text that is hashed, shown and run. */
export interface ToolRequest {
  /** Provider's id of the call, unique within its message. */
  readonly id: string
  readonly tool: string
  readonly arguments: string
  /** MODEL-02: the model wrote the call as a block in its text. */
  readonly inText?: true
  /** MODEL-08: token limit that cut the answer off within this call; 0 if the limit is unknown. */
  readonly cutAt?: number | undefined
}

/** Message of a session's transcript, in the order in which the model reads them. */
export type TranscriptMessage =
  | { readonly role: 'user'; readonly author: string; readonly text: string }
  | {
      readonly role: 'assistant'
      readonly text: string
      readonly calls: readonly ToolRequest[]
      /** MODEL-02: text shown to people, if `text` contains calls as blocks. */
      readonly spoken?: string
      /** Opaque provider data (signed reasoning) that must be replayed byte for byte. */
      readonly raw?: unknown
    }
  | {
      /** LOOP-12: replaces earlier messages that were dropped. `authors` are the people who wrote some of them. */
      readonly role: 'summary'
      readonly text: string
      readonly authors: readonly string[]
    }
  | {
      readonly role: 'tool'
      readonly callId: string
      readonly tool: string
      readonly text: string
      readonly isError: boolean
    }

/** MODEL-05: tokens of one model call. `inputTokens` includes cached tokens. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
}
