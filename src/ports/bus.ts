/** Live events between processes; each at most 7,000 bytes of JSON, may be lost, never relied upon. */
export interface Bus {
  publish(topic: string, payload: unknown): Promise<void>
  /** Calls `handle` with each payload published from now on. */
  subscribe(topic: string, handle: (payload: unknown) => void): Promise<AsyncDisposable>
  [Symbol.asyncDispose](): Promise<void>
}
