import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
import { HttpMode } from '../../support/slack/delivery/http-mode.ts'
import { counting, runs } from '../workspace-commands.ts'
import { cardOf, openStage, type Stage, untilReads, wordsOf } from './stage.ts'

describe('Slack by HTTP', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage({ settings: { COUNTERSIGN_SLACK_MODE: 'http' } })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const url = () => `http://127.0.0.1:${stage.flow.port}/slack/events`
  const post = (body: string, headers: Record<string, string>, where = url()) =>
    fetch(where, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal: AbortSignal.timeout(10_000),
    })

  test('SLACK-01 APPR-01 APPR-03 a message, a click, a form and a slash command come as requests, and no connection is opened', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    scenes.on('by http', call('bash', { command: counting }), say('Came.'))
    const ada = stage.guest()
    const dm = slack.dm(ada)
    dm.say(ada, 'by http')
    const card = await cardOf(dm)
    expect(await dm.click(ada, card.ts, 'Approve').outcome).toMatchObject({ kind: 'acked' })
    await dm.waitForText('Came.')
    await untilReads(dm, card.ts, /Approved by ada.* → exit 0/)
    expect(await runs(stage, dm.id)).toBe(1)
    const scene = scenes.on('and no', call('bash', { command: 'touch no' }), say('Left.'))
    dm.say(ada, 'and no')
    const second = await cardOf(dm, 2)
    await dm.click(ada, second.ts, 'Deny').outcome
    const form = await slack.waitForModal(ada)
    expect(await form.submit({ written: 'not by http' })).toMatchObject({ kind: 'acked' })
    expect(form.isOpen).toBe(false)
    await dm.waitForText('Left.')
    expect(scene.lastHeard()).toContain('rejected by user: not by http')
    expect(await dm.command(ada, '/countersign', 'status').outcome).toMatchObject({ kind: 'acked' })
    await dm.waitForText('Model:')
    expect(slack.sockets.ever).toBe(0)
    expect(slack.calls.filter(({ outcome }) => outcome.kind !== 'ok')).toEqual([])
  })

  test('SLACK-01 THREAT-8 Slack’s own question for the address is answered, and only with the right signature', async () => {
    const { slack } = stage.flow
    const now = () => Date.now()
    const urls = { events: url(), interactivity: url(), commands: url() }
    expect(await new HttpMode(urls, slack.signingSecret, now).verify()).toBe(true)
    expect(await new HttpMode(urls, 'another secret', now).verify()).toBe(false)
  })

  test('SLACK-01 THREAT-8 what is not signed by Slack, or was long ago, or is not the signed bytes, is refused unread', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const ada = stage.guest()
    const dm = slack.dm(ada)
    const scene = scenes.on('forged', say('Never.'))
    const forged = JSON.stringify({
      type: 'event_callback',
      team_id: slack.teamId,
      event_id: 'Ev0FORGED',
      event: { type: 'message', channel: dm.id, user: ada.id, text: 'forged', ts: '1.1' },
    })
    const signer = (secret: string) =>
      new HttpMode({ events: '', interactivity: '', commands: '' }, secret, () => Date.now())
    const right = signer(slack.signingSecret)
    const old = Math.floor(Date.now() / 1000) - 6 * 60
    const refused: readonly Record<string, string>[] = [
      {},
      signer('another secret').sign(forged),
      right.sign(`${forged} `),
      right.sign(forged, old),
      { ...right.sign(forged), 'x-slack-signature': 'v0=' },
      { ...right.sign(forged), 'x-slack-request-timestamp': '' },
      { ...right.sign(forged), 'x-slack-request-timestamp': 'now' },
    ]
    for (const headers of refused) {
      const { status } = await post(forged, headers)
      expect([400, 401, 403]).toContain(status)
    }
    expect((await post(forged, right.sign(forged), `${url()}/else`)).status).toBe(404)
    for (const body of ['', '{', '[]', '"x"', '{"type":"event_callback"}']) {
      const { status } = await post(body, right.sign(body))
      expect([200, 400]).toContain(status)
    }
    scenes.on('a true one', say('True.'))
    dm.say(ada, 'a true one')
    await dm.waitForText('True.')
    expect(wordsOf(dm)).toEqual(['True.'])
    expect(scene.requests).toEqual([])
  })

  test('SLACK-01 LOOP-04 an event that Slack hands over again is handled once', async () => {
    const { flow, scenes } = stage
    const { slack } = flow
    const scene = scenes.on('again and again', say('Once.'))
    const ada = stage.guest()
    const dm = slack.dm(ada)
    dm.say(ada, 'again and again')
    await dm.waitForText('Once.')
    const record = slack.deliveries.findLast(({ kind }) => kind === 'events_api')
    if (record === undefined) throw new Error('no event')
    for (const tries of [2, 3]) {
      slack.repeat(record)
      await slack.waitFor(() => record.tries.length === tries)
      expect(record.tries.at(-1)?.outcome).toMatchObject({ kind: 'acked' })
    }
    await flow.settled(dm.id)
    expect(wordsOf(dm)).toEqual(['Once.'])
    expect(scene.requests).toHaveLength(1)
  })
})

test('SLACK-01 a request that never ends does not keep the product from ending', async () => {
  await using stage = await openStage({ settings: { COUNTERSIGN_SLACK_MODE: 'http' } })
  const socket = connect(stage.flow.port ?? 0, '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  const heard = text(socket).catch(() => '')
  socket.write('POST /slack/events HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{')
  const answered = await fetch(`http://127.0.0.1:${stage.flow.port}/else`)
  expect(answered.status).toBe(404)
  await stage.flow.served[Symbol.asyncDispose]()
  // Of what is waited for in vain Slack is told, after ten seconds, that it took too long.
  expect(await heard).not.toContain('HTTP/1.1 408')
})
