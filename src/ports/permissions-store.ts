/** A worker's rules as text (GATE-04). The agent's side owns them; text is parsed by the gate. */
export interface PermissionsStore {
  /**
   * The present text, seeded with the defaults on first use: a change that was committed or written before the call is in it.
   * `version` changes with every edit and is never used twice.
   */
  load(worker: string): Promise<{ readonly text: string; readonly version: string }>
  /**
   * Replaces the text if `version` is still the present one; false: somebody else was first, load again. Rejects a text of more
   * than 1,000,000 UTF-16 units or with a NUL. `by` is who changed it, where the store keeps that.
   */
  save(worker: string, version: string, text: string, by?: string): Promise<boolean>
  /** Where a person finds it, for messages. Throws for what cannot name a worker. */
  describe(worker: string): string
}
