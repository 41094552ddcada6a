import type { Config } from '../config/config.ts'

/** Missing or invalid Slack settings, one line each; empty if complete or if Slack is not used. */
export function slackProblems({ secrets, slack }: Config): readonly string[] {
  if (secrets.slackBotToken === undefined) return []
  const isBot = secrets.slackBotToken.reveal().startsWith('xoxb-')
  const bot = isBot ? [] : ['SLACK_BOT_TOKEN is no bot token: those begin with xoxb-']
  if (slack.mode === 'http') {
    const isSet = secrets.slackSigningSecret !== undefined
    return isSet ? bot : [...bot, `SLACK_SIGNING_SECRET is not set: ${whySecret}`]
  }
  return secrets.slackAppToken === undefined
    ? [...bot, 'SLACK_APP_TOKEN is not set: Socket Mode connects with it']
    : bot
}

const whySecret =
  'in http mode it proves that a call comes from Slack (or set SLACK_APP_TOKEN for Socket Mode)'
