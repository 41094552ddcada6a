/** Live events between processes, at most 7,000 bytes of JSON each. Events may be lost; nothing relies on them. */
export interface Bus {
  publish(topic: string, payload: unknown): Promise<void>
  /** Calls `handle` with each payload published after this resolves. */
  subscribe(topic: string, handle: (payload: unknown) => void): Promise<AsyncDisposable>
  [Symbol.asyncDispose](): Promise<void>
}
