/**
 * Embeds texts as vectors whose directions reflect similarity of meaning. A port, since providers differ and some
 * offer no embeddings.
 */
export interface Embedder {
  /** Provider's name of the model. */
  readonly name: string
  /** Returns one vector a text, in order, all of one length. Rejects if the provider fails or the signal aborts. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly (readonly number[])[]>
}
