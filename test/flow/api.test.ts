import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endPairing, savePairedRole } from '../../src/db/people/callers.ts'
import { sha256 } from '../../src/util/digest.ts'
import type { ApiClient, EventReader } from '../support/api-client.ts'
import { type ApiPlace, serveApi } from '../support/api-place.ts'
import { auditRows } from '../support/audit-rows.ts'
import { createFlow, eve, type Flow, until } from '../support/flow.ts'
import { createRecordingPlatform } from '../support/recording-platform.ts'
import { call, calls, say, toRequest } from '../support/scripted-model.ts'
import { createScenes, type Scene, type Scenes } from './telegram/scenes.ts'

let flow: Flow
let api: ApiPlace
let scenes: Scenes
let desk: ApiClient
let other: ApiClient
let plain: ApiClient
let stream: EventReader

beforeAll(async () => {
  scenes = createScenes()
  // Of conversations that begin so no card is ever shown.
  const platform = createRecordingPlatform('test', (message) =>
    message.kind === 'card' && JSON.stringify(message).includes('unseen')
      ? { kind: 'unreachable', why: 'a test' }
      : undefined,
  )
  flow = await createFlow({ model: scenes, platform })
  api = await serveApi(flow)
  desk = await api.program('desk', 'approver')
  other = await api.program('other', 'operator')
  plain = await api.program('plain', 'user')
  stream = await desk.events().ready()
})

afterAll(async () => {
  await stream[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
  await flow[Symbol.asyncDispose]()
})

let rooms = 0

/** Ada asks for a command in a conversation of her own, and the question comes over the stream. */
async function ask(command: string, reader = stream) {
  const { scene, sessionId, conversationId } = await begin(command)
  const question = await reader.question(sessionId)
  const { approvalId } = question
  return { scene, sessionId, approvalId, question, conversationId, ids: { sessionId, approvalId } }
}

async function begin(command: string) {
  rooms += 1
  const opening = `scene ${rooms}.`
  const scene: Scene = scenes.on(opening, call('bash', { command }), say('It is done.'))
  const conversationId = await flow.act({ kind: 'message', text: opening }, undefined, opening)
  const { id: sessionId } = await flow.db
    .selectFrom('session')
    .select('id')
    .where('conversation_id', '=', conversationId)
    .executeTakeFirstOrThrow()
  return { scene, sessionId, conversationId }
}

function approvalRow(id: string) {
  return flow.db.selectFrom('approval').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

describe('a program answers questions', () => {
  test('APPR-11 APPR-02 APPR-04 is told of the whole question, approves it, and the very command runs', async () => {
    const { ids, question, scene, conversationId, approvalId } =
      await ask('echo one > one; cat one')
    expect(question).toMatchObject({
      toolName: 'bash',
      what: 'echo one > one; cat one',
      requestedBy: 'Ada',
      callerId: 'test:ada',
      whoMayAnswer: 'Ada or an approver',
    })
    const stored = await flow.db
      .selectFrom('tool_call')
      .select('arguments')
      .where('session_id', '=', ids.sessionId)
      .executeTakeFirstOrThrow()
    expect(question.arguments).toBe(stored.arguments)
    expect(JSON.parse(question.arguments)).toEqual({ command: 'echo one > one; cat one' })
    expect(question.reasons.length).toBeGreaterThan(0)
    expect(Date.parse(question.expiresAt)).toBe(
      (await approvalRow(approvalId)).expires_at.getTime(),
    )
    expect(await desk.approve(ids)).toMatchObject({
      status: 200,
      body: { applied: true, message: 'Approved.' },
    })
    await flow.quietOf(conversationId)
    expect(scene.lastHeard()).toContain('one')
    expect(await stream.end(approvalId)).toMatchObject({
      ...ids,
      state: 'approved',
      always: false,
      decidedBy: 'api:desk',
      decidedByName: 'api:desk',
    })
    const audit = (await auditRows(flow.db)).filter(
      (row) => row.session_id === ids.sessionId && row.kind === 'decided',
    )
    const decided = audit.map(({ body }) => JSON.parse(body)).at(-1)
    expect(decided).toMatchObject({ decided_by: 'api:desk', approval_id: approvalId })
  })

  test('APPR-11 APPR-07 always is what the button is: the shown patterns hold in the rules', async () => {
    const { ids, question, conversationId, approvalId } = await ask('wc -c one-of-these')
    expect(question.alwaysPatterns).toEqual(['wc *'])
    expect((await desk.approve({ ...ids, always: true })).body).toEqual({
      applied: true,
      message: 'Approved, always.',
    })
    await flow.quietOf(conversationId)
    expect(await stream.end(approvalId)).toMatchObject({ state: 'approved', always: true })
    const grants = await flow.db
      .selectFrom('grant_rule')
      .selectAll()
      .where('session_id', '=', ids.sessionId)
      .execute()
    // An approver's holds for everybody: it is in the worker's rules, and there alone.
    expect(grants).toEqual([])
    const { text } = await flow.product.ctx.permissions.load('default')
    expect(text).toMatch(/granted by api:desk, .*\n\s*"wc \*": "allow"/)
  })

  test('APPR-11 APPR-07 what an always lets pass by itself ends in the stream as granted', async () => {
    rooms += 1
    const opening = `scene ${rooms}.`
    const requests = ['a', 'b'].map((file) => toRequest('bash', { command: `sort ${file}` }))
    scenes.on(opening, calls(requests), say('Both are done.'))
    const conversationId = await flow.act({ kind: 'message', text: opening }, undefined, opening)
    const ofRoom = () => stream.required().filter(({ what }) => what.startsWith('sort '))
    await until('both ask', () => ofRoom().length === 2)
    const [first, second] = ofRoom()
    if (first === undefined || second === undefined) throw new Error('they did not ask')
    const { sessionId, approvalId } = first
    await desk.approve({ sessionId, approvalId, always: true })
    await flow.quietOf(conversationId)
    expect(await stream.end(second.approvalId)).toMatchObject({ state: 'granted', decidedBy: null })
  })

  test('APPR-11 APPR-03 the feedback of a denial is what the model is told', async () => {
    const { ids, scene, conversationId, approvalId } = await ask('rm -r everything')
    const feedback = '  Not on a Friday.\n\u0000 Ask me again. '
    expect((await desk.deny({ ...ids, feedback })).body).toMatchObject({ applied: true })
    await flow.quietOf(conversationId)
    expect(scene.lastHeard()).toContain('rejected by user: Not on a Friday. ⏎ \uFFFD Ask me again.')
    expect(await stream.end(approvalId)).toMatchObject({
      state: 'denied',
      reason: 'Not on a Friday.\n\uFFFD Ask me again.',
      decidedBy: 'api:desk',
    })
  })

  test('APPR-11 APPR-04 of two at once the first wins, and the other is told who it was', async () => {
    const { ids, conversationId, approvalId } = await ask('echo two')
    const replies = await Promise.all([desk.approve(ids), other.deny(ids), desk.approve(ids)])
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
    const applied = replies.filter(({ body }) => body.applied)
    expect(applied).toHaveLength(1)
    const { state } = await approvalRow(approvalId)
    for (const { body } of replies.filter((reply) => !reply.body.applied)) {
      expect(body.message).toMatch(
        new RegExp(`^Already ${state} by api:(desk|other) at \\d\\d:\\d\\d`),
      )
    }
    await flow.quietOf(conversationId)
    expect((await desk.deny(ids)).body.applied).toBe(false)
  })

  test('APPR-11 APPR-05 an answer from elsewhere is announced, and the card says what a program answered', async () => {
    const first = await ask('echo three')
    const decision = { kind: 'approve' } as const
    const answer = { kind: 'decision', approvalId: first.approvalId, decision } as const
    await flow.act(answer, eve, `scene ${rooms}.`)
    expect(await stream.end(first.approvalId)).toMatchObject({
      state: 'approved',
      decidedBy: 'test:eve',
      decidedByName: 'Eve',
    })
    const second = await ask('echo four')
    await desk.deny(second.ids)
    await flow.quietOf(second.conversationId)
    const card = flow.platform.cards().find(({ approvalId }) => approvalId === second.approvalId)
    expect(card?.status).toMatchObject({ kind: 'denied', by: 'api:desk' })
  })

  test('APPR-11 APPR-08 a question that is stopped or expires ends in the stream too', async () => {
    const stopped = await ask('echo five')
    await flow.act({ kind: 'message', text: '/stop' }, undefined, `scene ${rooms}.`)
    expect(await stream.end(stopped.approvalId)).toMatchObject({
      state: 'cancelled',
      decidedBy: 'test:ada',
    })
    const late = await ask('echo six')
    await flow.db
      .updateTable('approval')
      .set({ expires_at: new Date(0) })
      .where('id', '=', late.approvalId)
      .execute()
    expect((await desk.approve(late.ids)).body.applied).toBe(false)
    expect(await stream.end(late.approvalId)).toMatchObject({ state: 'expired' })
  })
})

describe('what is not a program’s to answer', () => {
  test('APPR-11 APPR-04 an unknown, foreign, settled or malformed id, and another session, change nothing and tell nothing', async () => {
    const mine = await ask('echo seven')
    const yours = await ask('echo eight')
    const { sessionId, approvalId } = mine.ids
    const nothing = {
      status: 200,
      body: {
        applied: false,
        message: 'There is no such approval in this session for you to answer.',
      },
    }
    const wrong = [
      { sessionId: yours.sessionId, approvalId },
      { sessionId, approvalId: yours.approvalId },
      { sessionId: approvalId, approvalId: sessionId },
      { sessionId, approvalId: sessionId },
      { sessionId, approvalId: approvalId.toUpperCase() },
      { sessionId, approvalId: `{${approvalId}}` },
      { sessionId: sessionId.toUpperCase(), approvalId },
      { sessionId, approvalId: "' or 1=1 --" },
      { sessionId, approvalId: '\0' },
    ]
    for (const ids of wrong) {
      expect(await desk.approve(ids)).toMatchObject(nothing)
      expect(await desk.deny(ids)).toMatchObject(nothing)
    }
    expect((await approvalRow(approvalId)).state).toBe('pending')
    await desk.deny(mine.ids)
    await desk.deny(yours.ids)
    const settled = await desk.approve(mine.ids)
    expect(settled.body.applied).toBe(false)
    expect(settled.body.message).toMatch(/^Already denied by api:desk/)
  })

  test('APPR-11 CHAT-02 a user sees and answers no question of others, and is told no more than of one that is not', async () => {
    await using blind = await plain.events().ready()
    const { ids, approvalId } = await ask('echo nine')
    const unknown = await plain.approve({ ...ids, approvalId: ids.sessionId })
    for (const reply of [await plain.approve(ids), await plain.deny({ ...ids, feedback: 'no' })]) {
      expect(reply.body).toEqual(unknown.body)
    }
    await desk.deny(ids)
    await stream.end(approvalId)
    expect((await plain.approve(ids)).body).toEqual(unknown.body)
    expect(blind.seen).toEqual([{ type: 'ready', pending: 0 }])
  })

  test('APPR-11 CHAT-02 a user is told of questions about calls of its own caller, and answers them', async () => {
    await using own = await plain.events().ready()
    const { ids, approvalId, conversationId } = await ask('echo ten')
    await flow.db
      .updateTable('approval')
      .set({ caller_id: 'api:plain' })
      .where('id', '=', approvalId)
      .execute()
    await own.question(ids.sessionId)
    expect((await plain.approve(ids)).body.applied).toBe(true)
    await flow.quietOf(conversationId)
    expect(await own.end(approvalId)).toMatchObject({ decidedBy: 'api:plain' })
  })
})

describe('what was shown', () => {
  test('APPR-11 APPR-16 whoever had the whole question over a stream may approve it, and no program that had not', async () => {
    const { ids, approvalId } = await ask('echo unseen')
    const refused = await other.approve(ids)
    expect(refused.body).toEqual({
      applied: false,
      message: 'The card has not been shown yet; it must be shown first.',
    })
    expect((await other.approve({ ...ids, always: true })).body.applied).toBe(false)
    expect((await approvalRow(approvalId)).state).toBe('pending')
    expect((await desk.approve(ids)).body.applied).toBe(true)
    await stream.end(approvalId)
    const denied = await ask('echo unseen again')
    expect((await other.deny(denied.ids)).body.applied).toBe(true)
  })

  test('APPR-11 APPR-16 what its excerpts leave out is a file that the API serves while the question waits', async () => {
    const command = `echo ${'many words '.repeat(400)}`
    const { ids, question, approvalId } = await ask(command)
    expect(JSON.parse(question.arguments)).toEqual({ command })
    expect(question.what.length).toBeLessThan(command.length)
    const { path = '', sha256: digest, bytes } = question.file ?? {}
    const response = await desk.request(path)
    const content = Buffer.from(await response.arrayBuffer())
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; /)
    expect([sha256(content), content.length]).toEqual([digest, bytes])
    expect(content.toString()).toContain('many words many words many words')
    expect((await plain.request(path)).status).toBe(404)
    expect((await desk.request(path.replace(approvalId, 'x'))).status).toBe(404)
    expect((await desk.deny(ids)).body.applied).toBe(true)
    expect((await desk.request(path)).status).toBe(404)
  })
})

describe('a stream', () => {
  test('APPR-11 replays what is pending to whoever connects, then says that this was all', async () => {
    const one = await ask('echo replay one')
    const two = await ask('echo replay two')
    await using again = await desk.events().ready()
    const asked = again.required().map(({ approvalId }) => approvalId)
    expect(asked.slice(-2)).toEqual([one.approvalId, two.approvalId])
    expect(again.required(one.approvalId)).toEqual([one.question])
    expect(again.seen.at(asked.length)).toEqual({ type: 'ready', pending: asked.length })
    expect(again.rest[0]).toMatch(/^retry: \d+$/)
    expect(stream.required(one.approvalId)).toHaveLength(1)
    for (const { ids } of [one, two]) await desk.deny(ids)
    await again.end(two.approvalId)
    await using after = await desk.events().ready()
    expect(after.required(one.approvalId)).toEqual([])
  })

  test('APPR-11 APPR-19 a question that is open for longer is told again, under its id', async () => {
    const { ids, approvalId } = await ask('echo longer')
    const until = new Date(Date.now() + 7_200_000)
    await flow.db
      .updateTable('approval')
      .set({ expires_at: until })
      .where('id', '=', approvalId)
      .execute()
    await expect
      .poll(() => stream.required(approvalId).at(-1)?.expiresAt, { timeout: 60_000 })
      .toBe(until.toISOString())
    await desk.deny(ids)
  })

  test('APPR-11 ends when the token is revoked or its role changes, and the token opens nothing then', async () => {
    const gone = await api.program('gone', 'approver')
    const lowered = await api.program('lowered', 'operator')
    await using revoked = await gone.events().ready()
    await using changed = await lowered.events().ready()
    const { ids } = await ask('echo revoked')
    await revoked.question(ids.sessionId)
    await endPairing(flow.db, 'api:gone', 'user')
    await savePairedRole(flow.db, { id: 'api:lowered', name: 'api:lowered' }, 'user')
    await Promise.all([revoked.ended, changed.ended])
    expect((await gone.approve(ids)).status).toBe(401)
    expect((await gone.request('/v1/events')).status).toBe(401)
    expect((await lowered.approve(ids)).body.applied).toBe(false)
    expect((await desk.deny(ids)).body.applied).toBe(true)
  })

  test('APPR-11 REL-03 a token has so many streams, and one that hangs up makes room', async () => {
    const many = await api.program('many', 'user')
    await using open = new AsyncDisposableStack()
    const streams = Array.from({ length: 8 }, () => open.use(many.events()))
    await Promise.all(streams.map((one) => one.ready()))
    const refused = await many.request('/v1/events')
    expect(refused.status).toBe(429)
    expect(await refused.json()).toEqual({
      error: 'there are enough streams',
      code: 'TOO_MANY_STREAMS',
    })
    expect((await many.request('/v1/events', { method: 'HEAD' })).status).toBe(405)
    await streams[0]?.[Symbol.asyncDispose]()
    await until('there is room', async () => {
      const response = await many.request('/v1/events')
      await response.body?.cancel()
      return response.status === 200
    })
  })

  test('APPR-11 PROC-03 ends when its process does, which does not wait for it', async () => {
    const place = await serveApi(flow)
    const lasting = await place.program('lasting', 'approver')
    await using follower = await lasting.events().ready()
    await place[Symbol.asyncDispose]()
    // It rejects when the connection was cut, which is what becomes of what does not end by itself.
    await follower.ended
  })
})
