import { expect, test } from 'vitest'
import { checkSlack } from '../../../src/cli/doctor/check-slack.ts'
import { Environment } from '../../../src/config/env.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { createSlack } from '../../support/slack/slack.ts'

async function findings(scopes: readonly string[]) {
  await using slack = await createSlack({ scopes })
  const environment = new Environment({
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    SLACK_API_URL: slack.apiUrl,
  })
  const loaded = loadConfig({ cwd: '/nowhere', environment })
  if (loaded.kind === 'invalid') throw new Error('the settings are wrong')
  return await checkSlack(loaded.config)
}

test('CLI-01 CHAT-07 SLACK-04 an app without the right to read files causes a warning with its remedy', async () => {
  const known = expect.objectContaining({ level: 'ok' })
  expect(await findings(['chat:write', 'files:read'])).toEqual([known])
  expect(await findings(['chat:write'])).toEqual([
    known,
    expect.objectContaining({
      level: 'warn',
      finding: expect.stringContaining('files:read'),
      mend: expect.stringContaining('install the app again'),
    }),
  ])
})
