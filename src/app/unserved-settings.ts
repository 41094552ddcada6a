import type { Config } from '../config/config.ts'

/**
 * Settings that promise a protection which this version does not have. To start all the same would fail open, so
 * start refuses them, each by its key.
 */
export function unservedSettings(config: Config): readonly string[] {
  const promised: readonly (readonly [string, boolean])[] = [
    ['SLACK_BOT_TOKEN', config.secrets.slackBotToken !== undefined],
  ]
  return promised
    .filter(([, isSet]) => isSet)
    .map(([key]) => `${key}: this version does not do this yet; take it out to start without it`)
}
