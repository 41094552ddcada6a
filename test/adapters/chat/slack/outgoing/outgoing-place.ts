import { createApi } from '../../../../../src/adapters/chat/slack/api.ts'
import { createSlackPlatform } from '../../../../../src/adapters/chat/slack/outgoing/create-platform.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'
import { createSlack, type SlackOptions } from '../../../../support/slack/slack.ts'
import { MemoryLog } from '../../telegram/incoming/memory-log.ts'
import { quickPace, TestStage } from '../../telegram/outgoing/outgoing-place.ts'

/** Slack with Ada, her direct messages and a channel, and what goes out to them. */
export async function openOutgoing(options: SlackOptions & { readonly timeoutMs?: number } = {}) {
  const { timeoutMs = 20_000, ...given } = options
  const slack = await createSlack(given)
  const ada = slack.user('ada')
  const dm = slack.dm(ada)
  const general = slack.channel({ name: 'general', members: [ada] })
  const stage = new TestStage()
  const log = new MemoryLog()
  const client = createApi({ token: slack.botToken, apiUrl: slack.apiUrl, timeoutMs })
  const platform = createSlackPlatform({
    client,
    messages: english,
    lock: stage,
    log,
    pace: quickPace,
  })
  return {
    slack,
    ada,
    dm,
    general,
    stage,
    log,
    client,
    platform,
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]()
      await slack[Symbol.asyncDispose]()
    },
  }
}
