/** Texts as vectors whose directions tell how alike their meanings are. A port, since providers differ and some have none. */
export interface Embedder {
  /** The provider's name of the model. */
  readonly name: string
  /** One vector a text, in their order and all of one length. Rejects when the provider fails or the signal fires. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly (readonly number[])[]>
}
