/** Signs text with the agent's key. */
export interface TextSigner {
  readonly kid: string
  signText(text: string): string
}

/** Checks a signature by its key id: true, false, or undefined where the key is not known here. */
export type CheckSignature = (kid: string, body: string, signature: string) => boolean | undefined

/** Where a chain breaks. */
export interface BrokenLink {
  readonly chain: string
  readonly seq: number
  readonly why: string
}

/** A place in a chain, and what stands there. */
export interface ChainPlace {
  readonly seq: number
  readonly hash: string
}
