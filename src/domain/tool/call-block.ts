/** MODEL-02: the fenced block by which a model without native tool calls may call a tool. */
export interface CallBlock {
  /** The word behind the fence. */
  readonly mark: string
  /** The argument that the block's text is; absent: the text is all arguments, as JSON. */
  readonly argument?: string
}
