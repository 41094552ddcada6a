/** A worker's rules as text (GATE-04). The agent's side owns them; text is parsed by the gate. */
export interface PermissionsStore {
  /** The present text, seeded with the defaults on first use. `version` changes with every edit. */
  load(worker: string): Promise<{ readonly text: string; readonly version: string }>
  /** Replaces the text if `version` is still the present one; false: somebody else was first, load again. */
  save(worker: string, version: string, text: string): Promise<boolean>
  /** Where a person finds it, for messages. */
  describe(worker: string): string
}
