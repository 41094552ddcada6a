/** One request of the model to run a tool. `arguments` is the exact JSON text that is hashed, shown and run. */
export interface ToolRequest {
  /** The provider's id of the call within its message. */
  readonly id: string
  readonly tool: string
  readonly arguments: string
  /** MODEL-02: the model wrote it as a block in its text. */
  readonly inText?: true
  /** MODEL-08: the limit of tokens ended the answer in the middle of it, at so many; 0: it is not known at how many. */
  readonly cutAt?: number | undefined
}

/** What stands in a session's transcript, in the order the model reads it. */
export type TranscriptMessage =
  | { readonly role: 'user'; readonly author: string; readonly text: string }
  | {
      readonly role: 'assistant'
      readonly text: string
      readonly calls: readonly ToolRequest[]
      /** MODEL-02: the words for people, where calls stand in `text` as blocks. */
      readonly spoken?: string
      /** Provider data that must be replayed byte-exact (signed reasoning); opaque to us. */
      readonly raw?: unknown
    }
  | {
      /** LOOP-12: stands for earlier messages that were left out. `authors`: the people who wrote some of them. */
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

/** MODEL-05: tokens of one model call. `inputTokens` includes the cached ones. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
}
