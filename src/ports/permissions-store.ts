/** Storage of a worker's rules as text (GATE-04). The agent's side owns them; the gate parses them. */
export interface PermissionsStore {
  /**
   * Returns the current text, including any change committed or written before the call; the first use stores the
   * defaults. `version` changes with every edit and is never reused.
   */
  load(worker: string): Promise<{ readonly text: string; readonly version: string }>
  /**
   * Replaces the text if `version` is still current; returns false after a concurrent change, so that the caller
   * loads again. Rejects more than 1,000,000 UTF-16 code units or a NUL. `by`: who changed it, if the store records
   * that.
   */
  save(worker: string, version: string, text: string, by?: string): Promise<boolean>
  /** Describes the location of the rules for messages. Throws for an invalid worker name. */
  describe(worker: string): string
}
