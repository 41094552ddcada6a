/** How often passing things show, in milliseconds. */
export interface LivePace {
  /** Between two edits in a chat with one person; platforms take about one message a second there. */
  readonly privateMs: number
  /** Between two edits in a group; Telegram takes 20 messages a minute there, Slack about as many edits. */
  readonly groupMs: number
  /** From a turn's first event to its passing message: a quick answer does not flash. */
  readonly firstMs: number
  /** Between two signs that something is being thought of; each shows for 5 s or more. */
  readonly typingMs: number
  /** Between two edits that only tell how long something takes. */
  readonly tickMs: number
  /** Between two sendings of the same draft; each shows for 30 s. */
  readonly draftMs: number
  /** Between two looks at a stream that nothing is added to; platforms end those soon. */
  readonly streamMs: number
  /** How long anything shows by itself while nothing is heard. */
  readonly lifeMs: number
}

export const defaultPace: LivePace = {
  privateMs: 1_000,
  groupMs: 3_000,
  firstMs: 800,
  typingMs: 4_500,
  tickMs: 5_000,
  draftMs: 20_000,
  streamMs: 10_000,
  lifeMs: 3_600_000,
}
