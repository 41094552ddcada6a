import { App, Assistant, LogLevel } from '@slack/bolt'
import { expect, test } from 'vitest'
import { createSlack } from './slack.ts'

test("Bolt's app and assistant run on the stand-in as they do on Slack", async () => {
  await using slack = await createSlack()
  const ada = slack.user('ada')
  const general = slack.channel({ name: 'general', members: [ada] })
  const app = new App({
    token: slack.botToken,
    appToken: slack.appToken,
    socketMode: true,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: slack.apiUrl },
  })
  app.event('app_mention', async ({ event, say }) => {
    await say({ text: 'here', thread_ts: event.ts })
  })
  const assistant = new Assistant({
    threadStarted: async ({ say, setSuggestedPrompts }) => {
      await say('hello')
      await setSuggestedPrompts({ prompts: [{ title: 'Status', message: 'What runs?' }] })
    },
    userMessage: async ({ say, setTitle, setStatus }) => {
      await setTitle('A title')
      await setStatus('is thinking…')
      await say('nothing runs')
    },
  })
  app.assistant(assistant)
  await app.start()
  try {
    const ts = general.say(ada, `${slack.mention} are you there?`)
    expect(await general.waitForText('here')).toMatchObject({ threadTs: ts })
    const thread = slack.assistant(ada)
    await slack.waitFor(() => thread.prompts, { timeoutMs: 20_000 })
    thread.tapPrompt('Status')
    await thread.waitForText('nothing runs')
    expect(thread.thread(thread.threadTs).map(({ text }) => text)).toEqual([
      'hello',
      'What runs?',
      'nothing runs',
    ])
    expect(thread.title).toBe('A title')
    expect(thread.statuses.map(({ status }) => status)).toEqual(['is thinking…', ''])
    expect(slack.calls.filter(({ outcome }) => outcome.kind !== 'ok')).toEqual([])
  } finally {
    await app.stop()
    // Bolt does not wait for its connection to be closed.
    await slack.waitFor(() => slack.sockets.open === 0)
  }
})
