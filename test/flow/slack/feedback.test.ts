import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditRows } from '../../support/audit-rows.ts'
import { say } from '../../support/scripted-model.ts'
import { claimOf, labels, openStage, type Stage } from './stage.ts'

describe('what people say of answers in Slack', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const said = async (by: string) =>
    (await auditRows(stage.flow.db)).filter(
      ({ kind, caller_id }) => kind === 'feedback' && caller_id === by,
    )

  test('SLACK-05 below an answer people say whether it is good, and the audit has who said so of which turn', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const long = `First.\n\n${'More. '.repeat(2_500)}`
    scenes.on('rate me', say(long))
    const ada = stage.guest()
    const dm = slack.dm(ada)
    dm.say(ada, 'rate me')
    const answer = await dm.waitForMessage((message) => labels(message).length > 0)
    expect(labels(answer)).toEqual(['👍', '👎'])
    await flow.settled(dm.id)
    // Below the last of several messages, and nowhere else.
    expect(dm.botMessages().map((message) => labels(message).length)).toEqual(
      dm.botMessages().map(({ ts }) => (ts === answer.ts ? 2 : 0)),
    )
    expect(answer.notified).toEqual({ users: [], broadcasts: [], groups: [] })
    await dm.click(ada, answer.ts, '👎').outcome
    await dm.click(ada, answer.ts, '👍').outcome
    const by = `slack:${slack.teamId}:${ada.id}`
    await expect.poll(async () => (await said(by)).length, { timeout: 60_000 }).toBe(2)
    const rows = await said(by)
    const turn = await flow.db
      .selectFrom('turn')
      .select('id')
      .where('caller_id', '=', by)
      .executeTakeFirstOrThrow()
    expect(rows.map(({ turn_id }) => turn_id)).toEqual([turn.id, turn.id])
    expect(rows.map(({ body }) => JSON.parse(String(body)).note)).toEqual(['bad', 'good'])
  })

  test('SLACK-05 CHAT-02 who is a stranger, or claims a button of another chat, says nothing of an answer', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    scenes.on('hello', say('Hello.'))
    const [ada, mallory] = [stage.guest(), stage.stranger()]
    const [mine, other] = [
      slack.channel({ name: 'mine', members: [ada, mallory] }),
      slack.channel({ name: 'other', members: [ada] }),
    ]
    mine.say(ada, `${slack.mention} hello`)
    other.say(ada, `${slack.mention} hello`)
    const answer = await mine.waitForMessage((message) => labels(message).length > 0)
    const elsewhere = await other.waitForMessage((message) => labels(message).length > 0)
    await mine.click(mallory, answer.ts, '👍').outcome
    await other.claimClick(ada, { ...claimOf(answer, '👍'), messageTs: elsewhere.ts }).outcome
    await slack.waitFor(() => slack.quiet)
    await flow.settled(`${mine.id}/${answer.threadTs}`)
    expect(await said(`slack:${slack.teamId}:${mallory.id}`)).toEqual([])
    expect(await said(`slack:${slack.teamId}:${ada.id}`)).toEqual([])
  })
})

test('SLACK-05 CHAT-05 where a workspace has no feedback buttons answers come without, and they are tried once', async () => {
  await using stage = await openStage()
  const { slack } = stage.flow
  stage.scenes.on('hello', say('Hello.'))
  const ada = stage.guest()
  const channel = slack.channel({ name: 'plain', members: [ada] })
  slack.failNext('chat.postMessage', { kind: 'error', error: 'invalid_blocks' })
  for (let times = 1; times <= 2; times++) {
    channel.say(ada, `${slack.mention} hello`)
    await channel.waitForMessage(() => channel.botMessages().length === times)
  }
  expect(channel.botMessages().map(({ blocks }) => blocks.map(({ type }) => type))).toEqual([
    ['rich_text'],
    ['rich_text'],
  ])
  expect(slack.callsOf('chat.postMessage')).toHaveLength(3)
})
