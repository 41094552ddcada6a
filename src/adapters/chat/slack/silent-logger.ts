import { type Logger, LogLevel } from '@slack/bolt'

/** For Slack's libraries, whose logs may hold what people wrote: we log what their calls answer. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
}
