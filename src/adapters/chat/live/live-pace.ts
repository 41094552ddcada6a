/** Timing of transient messages, in milliseconds. */
export interface LivePace {
  /** Between two edits in a private chat; platforms allow about one message a second. */
  readonly privateMs: number
  /** Between two edits in a group; Telegram allows 20 messages a minute, Slack about as many edits. */
  readonly groupMs: number
  /** From a turn's first event to its transient message, so that a quick answer does not flicker. */
  readonly firstMs: number
  /** Between two typing indicators; each shows for at least 5 s. */
  readonly typingMs: number
  /** Between two edits that only update an elapsed time. */
  readonly tickMs: number
  /** Between repetitions of an unchanged draft; each shows for 30 s. */
  readonly draftMs: number
  /** Between two checks of an idle stream, which platforms end soon. */
  readonly streamMs: number
  /** Maximum time that something is shown without a new event. */
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
