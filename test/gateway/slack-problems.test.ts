import { describe, expect, test } from 'vitest'
import { Environment } from '../../src/config/env.ts'
import { loadConfig } from '../../src/config/load.ts'
import { slackProblems } from '../../src/gateway/slack-problems.ts'

function problems(variables: Readonly<Record<string, string>>): readonly string[] {
  const loaded = loadConfig({ cwd: '/nowhere', environment: new Environment(variables) })
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.problems))
  return slackProblems(loaded.config)
}

const bot = { SLACK_BOT_TOKEN: 'xoxb-1-2-abc' }

describe('what Slack cannot be served without', () => {
  test.each([
    ['nothing of Slack', {}],
    ['Socket Mode', { ...bot, SLACK_APP_TOKEN: 'xapp-1' }],
    ['calls of Slack', { ...bot, SLACK_SIGNING_SECRET: 'a-signing-secret' }],
  ])('SLACK-01 CONF-02 %s is complete', (_what, variables) => {
    expect(problems(variables)).toEqual([])
  })

  test.each([
    [bot, /^SLACK_SIGNING_SECRET is not set.*SLACK_APP_TOKEN/],
    [{ ...bot, COUNTERSIGN_SLACK_MODE: 'socket' }, /^SLACK_APP_TOKEN is not set/],
    [{ SLACK_BOT_TOKEN: 'xoxp-1', SLACK_APP_TOKEN: 'xapp-1' }, /^SLACK_BOT_TOKEN is no bot token/],
    [
      { ...bot, SLACK_APP_TOKEN: 'xapp-1', COUNTERSIGN_SLACK_MODE: 'http' },
      /^SLACK_SIGNING_SECRET is not set/,
    ],
  ])(
    'SLACK-01 CONF-02 %j is refused by name, and start does not begin without it',
    (variables, words) => {
      expect(problems(variables)).toEqual([expect.stringMatching(words)])
    },
  )
})
