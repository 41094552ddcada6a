import { describe, expect, test } from 'vitest'
import { createApi } from '../../../../src/adapters/chat/slack/api.ts'
import { connect, refusalOf, SlackRefused } from '../../../../src/adapters/chat/slack/connect.ts'
import { connectUntilAnswered } from '../../../../src/adapters/chat/slack/incoming/connect-until-answered.ts'
import { createSlack } from '../../../support/slack/slack.ts'
import { MemoryLog } from '../telegram/incoming/memory-log.ts'

async function openClient(token?: string) {
  const slack = await createSlack()
  const { apiUrl, botToken } = slack
  const client = createApi({ token: token ?? botToken, apiUrl, timeoutMs: 20_000 })
  const log = new MemoryLog()
  const trouble: string[] = []
  const ending = new AbortController()
  const { signal } = ending
  const onFailure = (why: string) => void trouble.push(why)
  return {
    ...{ slack, client, log, trouble },
    end: () => ending.abort(new Error('it is to end')),
    untilAnswered: () => connectUntilAnswered(client, { log, signal, onFailure }),
    [Symbol.asyncDispose]: () => slack[Symbol.asyncDispose](),
  }
}

describe.concurrent("SLACK-01 the app's identity", () => {
  test('is the one that Slack reports for its token', async () => {
    await using at = await openClient()
    expect(await connect(at.client)).toEqual({
      teamId: at.slack.teamId,
      team: 'Countersign',
      userId: at.slack.botUserId,
      botId: 'B0COUNTERS1',
      name: 'countersign',
      scopes: expect.arrayContaining(['chat:write', 'im:history']),
    })
  })

  test("CONF-01 is refused if the token is invalid, revoked, or a person's, without further attempts", async () => {
    await using at = await openClient('xoxb-another')
    await expect(at.untilAnswered()).rejects.toThrow(SlackRefused)
    await using removed = await openClient()
    removed.slack.uninstall()
    const refused = removed.untilAnswered()
    await expect(refused).rejects.toThrow(SlackRefused)
    await expect(refused).rejects.not.toThrow(removed.slack.botToken)
    expect(removed.slack.callsOf('auth.test')).toHaveLength(1)
    expect(refusalOf('token_expired')).toContain('SLACK_BOT_TOKEN')
    expect(refusalOf('ratelimited')).toBeUndefined()
    expect(refusalOf(undefined)).toBeUndefined()
  })

  test('REL-02 is requested again while Slack is unreachable, busy, or something else answers, with one report', async () => {
    await using at = await openClient()
    at.slack.failNext(
      'auth.test',
      { kind: 'status', code: 503 },
      { kind: '429', retryAfter: 1 },
      { kind: 'drop-before' },
    )
    expect(await at.untilAnswered()).toMatchObject({ teamId: at.slack.teamId })
    expect(at.trouble.length).toBeGreaterThanOrEqual(3)
    expect(at.trouble[0]).toMatch(/^no answer yet \(Slack is in trouble \(503\)\); trying on/)
    expect(at.slack.tooEarly).toBe(0)
    expect(at.log.having('recovered')).toHaveLength(1)
    expect(at.log.lines.join()).not.toContain(at.slack.botToken)
  }, 30_000)

  test('is not requested after the signal', async () => {
    await using at = await openClient()
    at.slack.fault = () => ({ kind: 'status', code: 503 })
    const asked = at.untilAnswered()
    asked.catch(() => undefined)
    await at.slack.waitFor(() => at.trouble.length > 0)
    at.end()
    await expect(asked).rejects.toThrow('it is to end')
    const calls = at.slack.callsOf('auth.test').length
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    expect(at.slack.callsOf('auth.test')).toHaveLength(calls)
  })
})
