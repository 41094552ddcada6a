import { type Logger, LogLevel } from '@slack/bolt'

/** Discards the logs of Slack's libraries, which may contain user text; results of calls are logged here instead. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
}
