import { describe, expect, test } from 'vitest'
import { setTrust } from '../../src/db/call/tool-trust.ts'
import type { ModelAnswer, ModelRequest } from '../../src/ports/model.ts'
import { createFlow, type Flow, until } from '../support/flow.ts'
import { call, calls, createScriptedModel, say, toRequest } from '../support/scripted-model.ts'
import { createWebPlace, page, type Route, type WebPlace } from '../support/web/web-place.ts'

/** The lines of the last tool result that a model was given. */
function blockIn(request: ModelRequest | undefined): readonly string[] {
  const result = request?.messages.findLast(({ role }) => role === 'tool')
  return result?.role === 'tool' ? result.text.split('\n') : []
}

async function openFlow(
  answers: readonly ModelAnswer[],
  settings: Readonly<Record<string, string>> = {},
  place?: WebPlace,
) {
  const model = createScriptedModel([...answers, say('done')])
  const flow = await createFlow({
    model,
    ...(place === undefined ? {} : { workerTools: place.tools().tools }),
    settings: {
      ...(place === undefined
        ? {}
        : { COUNTERSIGN_TOOLS_SCRAPE_ALLOWED_PORTS: String(place.port) }),
      COUNTERSIGN_TOOLS_RETRY_BASE_MS: '20',
      ...settings,
    },
  })
  return { flow, model }
}

const callsOf = ({ db }: Flow) => db.selectFrom('tool_call').selectAll().orderBy('number').execute()

describe('each category reaches the model as its block', () => {
  test.each([
    ['tool_not_found', 'reed', {}, /^error: there is no tool "reed"$/, /^nearest: read, /],
    ['invalid_parameters', 'read', {}, /^error: path: required field is missing$/, /^schema: \{/],
    [
      'type_mismatch',
      'read',
      { path: 5 },
      /^error: path: expected string, got number$/,
      /^schema: /,
    ],
    ['policy_blocked', 'read', { path: '.env' }, /^error: /, undefined],
    ['permanent_failure', 'read', { path: 'missing' }, /no such file or directory$/, undefined],
  ] as const)('ERR-01 ERR-02 %s', async (category, tool, args, error, hint) => {
    const { flow, model } = await openFlow([call(tool, args)])
    await using _flow = flow
    await flow.say('go')
    const block = blockIn(model.requests.at(-1))
    expect(block.slice(0, 5)).toEqual([
      '[tool_error]',
      `category: ${category}`,
      expect.stringMatching(error),
      expect.stringMatching(/^suggestion: /),
      'retryable: false',
    ])
    if (hint === undefined) expect(block).toHaveLength(5)
    else expect(block[5]).toMatch(hint)
    expect(flow.platform.answers()).toEqual(['done'])
    expect((await callsOf(flow))[0]).toMatchObject({ error_category: category, tries: null })
  })

  test('ERR-07 policy_blocked with the reason, where a person denies it', async () => {
    const { flow, model } = await openFlow([call('bash', { command: 'touch a' })])
    await using _flow = flow
    await flow.say('go')
    await flow.decide({ kind: 'deny', reason: 'not today' })
    expect(blockIn(model.requests.at(-1)).slice(1, 3)).toEqual([
      'category: policy_blocked',
      expect.stringMatching(/^error: rejected by user.*not today/),
    ])
  })

  test('ERR-07 policy_blocked alike, whether a rule, a policy, trust or the guard of the web refuses', async () => {
    const { flow } = await openFlow(
      [
        calls([
          toRequest('read', { path: '.env' }),
          toRequest('bash', { command: 'sudo true' }),
          toRequest('grep', { pattern: 'a' }),
          toRequest('fetch', { url: 'https://169.254.169.254/' }),
        ]),
      ],
      {
        COUNTERSIGN_TOOLS_POLICY_ENABLED: 'true',
        COUNTERSIGN_TOOLS_POLICY_DEFAULT_EFFECT: 'allow',
        COUNTERSIGN_TOOLS_POLICY_RULES: '[{"effect":"deny","tool":"bash","args_match":".*sudo.*"}]',
      },
    )
    await using _flow = flow
    await setTrust(flow.db, { tool: 'grep', level: 'blocked', set_by: 'test:olga', reason: null })
    await flow.say('go')
    const ended = (await callsOf(flow)).map(({ tool, state, error_category: category }) => [
      ...[tool, state, category],
    ])
    expect(ended).toEqual(
      ['read', 'bash', 'grep', 'fetch'].map((tool) => [tool, 'denied', 'policy_blocked']),
    )
    expect(flow.platform.cards()).toEqual([])
  })

  test('ERR-07 confirmation_required, where nobody could approve it', async () => {
    const { flow, model } = await openFlow([call('bash', { command: 'touch a' })], {
      COUNTERSIGN_APPROVAL_PEOPLE_MEDIUM: '9',
    })
    await using _flow = flow
    await flow.say('go')
    expect(blockIn(model.requests.at(-1))).toEqual([
      '[tool_error]',
      'category: confirmation_required',
      expect.stringMatching(/must be approved by nine people: .*; only 3 people could$/),
      'suggestion: No person could be asked for confirmation. Ask the person to start it.',
      'retryable: false',
    ])
    expect(flow.platform.cards()).toEqual([])
    expect(flow.platform.answers()).toEqual(['done'])
  })

  test('ERR-07 LOOP-14 cancelled, where the turn was stopped; the next one reads it', async () => {
    const { flow, model } = await openFlow([call('bash', { command: 'sleep 60' }), say('and now')])
    await using _flow = flow
    await flow.say('go')
    await flow.act({
      kind: 'decision',
      approvalId: await approvalId(flow),
      decision: { kind: 'approve' },
    })
    await until('it runs', async () => (await callsOf(flow))[0]?.state === 'running')
    await flow.say('/stop')
    await until('it has ended', async () => (await callsOf(flow))[0]?.settled_at !== null)
    await flow.say('what was that?')
    const block = blockIn(model.requests.at(-1))
    expect(block[1]).toBe('category: cancelled')
    expect(block[4]).toBe('retryable: false')
  })

  test('ERR-01 timeout of a command, which is not tried again', async () => {
    const { flow, model } = await openFlow([call('bash', { command: 'sleep 60', timeout: 1 })])
    await using _flow = flow
    await flow.say('go')
    await flow.decide({ kind: 'approve' })
    expect(blockIn(model.requests.at(-1)).slice(0, 5)).toEqual([
      '[tool_error]',
      'category: timeout',
      'error: The command was ended after 1 s',
      'suggestion: It took too long. Try a smaller piece of work or a longer timeout.',
      'retryable: true',
    ])
  })
})

async function approvalId({ db }: Flow): Promise<string> {
  const { id } = await db.selectFrom('approval').select('id').executeTakeFirstOrThrow()
  return id
}

const scrapeTimeout = 'COUNTERSIGN_TOOLS_SCRAPE_TIMEOUT'
/** Whatever holds up the machine, no time runs out. */
const patientWeb = { [scrapeTimeout]: '120', COUNTERSIGN_TOOLS_RETRY_BUDGET_SECS: '300' }

const answering =
  (status: number, headers: Record<string, string> = {}): Route =>
  (_, response) =>
    void response.writeHead(status, headers).end()

const silent: Route = () => undefined

describe('what may pass is tried again', () => {
  test.each([
    ['rate_limited', answering(429), 'Rate limit exceeded. The system will retry if possible.'],
    ['server_error', answering(503), 'The other side failed. The system will retry if possible.'],
    [
      'network_error',
      (({ socket }) => void socket.destroy()) satisfies Route,
      'The network failed. The system will retry if possible.',
    ],
    ['timeout', silent, 'It took too long. Try a smaller piece of work or a longer timeout.'],
  ] as const)(
    'ERR-03 ERR-02 %s: three times, and the block says so',
    async (category, route, fixed) => {
      await using place = await createWebPlace()
      place.routes.set('/', route)
      const { flow, model } = await openFlow(
        [call('fetch', { url: place.url('/') })],
        { ...patientWeb, ...(category === 'timeout' ? { [scrapeTimeout]: '1' } : {}) },
        place,
      )
      await using _flow = flow
      await flow.say('go')
      await flow.decide({ kind: 'approve' })
      // What is late may be so before it has asked.
      if (category !== 'timeout') expect(place.requests).toHaveLength(3)
      expect(blockIn(model.requests.at(-1))).toEqual([
        '[tool_error]',
        `category: ${category}`,
        expect.stringMatching(/^error: /),
        `suggestion: ${fixed} It was tried 3 times.`,
        'retryable: true',
      ])
      const [fetched] = await callsOf(flow)
      expect(fetched).toMatchObject({ state: 'failed', tries: 3, attempt: 1 })
      const { rows } = await flow.database.pool.query(
        `select kind, body::jsonb ->> 'tries' as tries, body::jsonb ->> 'try' as try
       from audit_log where call_id is not null order by id`,
      )
      expect(rows).toEqual([
        { kind: 'decided', tries: null, try: null },
        { kind: 'hop', tries: null, try: null },
        { kind: 'hop', tries: null, try: '2' },
        { kind: 'hop', tries: null, try: '3' },
        { kind: 'settled', tries: '3', try: null },
      ])
      // POL-04, ERR-06: one call, and nothing that the model did.
      expect(await flow.db.selectFrom('tool_outcome').select('failed').execute()).toEqual([
        { failed: true },
      ])
      expect(await flow.db.selectFrom('model_standing').selectAll().execute()).toEqual([])
    },
  )

  test('ERR-03 what works at last is a result like any other', async () => {
    await using place = await createWebPlace()
    let asked = 0
    const fine = page('text/plain', 'at last')
    place.routes.set('/', (request, response) => {
      asked += 1
      if (asked === 1) request.socket.destroy()
      else if (asked === 2) response.writeHead(502).end()
      else fine(request, response)
    })
    const { flow, model } = await openFlow([call('fetch', { url: place.url('/') })], {}, place)
    await using _flow = flow
    await flow.say('go')
    await flow.decide({ kind: 'approve' })
    expect(blockIn(model.requests.at(-1))).toEqual(['at last'])
    expect((await callsOf(flow))[0]).toMatchObject({ state: 'succeeded', tries: 3 })
  })

  test('ERR-03 WEB-06 a host that asks for more time than there is gets it: one try', async () => {
    await using place = await createWebPlace()
    place.routes.set('/', answering(429, { 'retry-after': '120' }))
    const { flow, model } = await openFlow([call('fetch', { url: place.url('/') })], {}, place)
    await using _flow = flow
    await flow.say('go')
    await flow.decide({ kind: 'approve' })
    expect(place.requests).toHaveLength(1)
    expect(blockIn(model.requests.at(-1)).slice(2, 4)).toEqual([
      'error: site.example answered 429; it asks to wait 120 s',
      'suggestion: Rate limit exceeded. The system will retry if possible. It was tried once.',
    ])
  })

  test('ERR-03 WEB-02 each try passes the guard: a name that leads inside by then is refused', async () => {
    await using place = await createWebPlace()
    place.routes.set('/', (_, response) => {
      place.names.names.set('site.example', () => ({ a: ['10.0.0.1'] }))
      response.writeHead(503).end()
    })
    const { flow, model } = await openFlow([call('fetch', { url: place.url('/') })], {}, place)
    await using _flow = flow
    await flow.say('go')
    await flow.decide({ kind: 'approve' })
    expect(place.requests).toHaveLength(1)
    expect(blockIn(model.requests.at(-1))[1]).toBe('category: policy_blocked')
    expect((await callsOf(flow))[0]?.tries).toBe(2)
  })

  test('ERR-03 LOOP-14 /stop ends the wait for the next try at once', async () => {
    await using place = await createWebPlace()
    place.routes.set('/', answering(429, { 'retry-after': '200' }))
    const { flow } = await openFlow([call('fetch', { url: place.url('/') })], patientWeb, place)
    await using _flow = flow
    await flow.say('go')
    await flow.act({
      kind: 'decision',
      approvalId: await approvalId(flow),
      decision: { kind: 'approve' },
    })
    await until('it was asked', () => place.requests.length === 1)
    const startedAt = performance.now()
    await flow.say('/stop')
    await until('it has ended', async () => (await callsOf(flow))[0]?.settled_at !== null)
    expect(performance.now() - startedAt).toBeLessThan(60_000)
    expect((await callsOf(flow))[0]).toMatchObject({
      state: 'cancelled',
      error_category: 'cancelled',
    })
    expect(place.requests).toHaveLength(1)
  })

  test('ERR-03 nothing is tried again where the operator says so', async () => {
    await using place = await createWebPlace()
    place.routes.set('/', answering(500))
    const settings = { COUNTERSIGN_TOOLS_RETRY_MAX_ATTEMPTS: '0' }
    const { flow } = await openFlow([call('fetch', { url: place.url('/') })], settings, place)
    await using _flow = flow
    await flow.say('go')
    await flow.decide({ kind: 'approve' })
    expect(place.requests).toHaveLength(1)
  })
})

test('LOOP-11 a turn that goes round in circles ends with a notice, and the person can go on', async () => {
  const same = () => call('read', { path: 'missing' })
  const { flow, model } = await openFlow([same(), same(), same(), say('sorry')])
  await using _flow = flow
  await flow.say('go')
  expect(model.requests).toHaveLength(3)
  expect(flow.platform.answers()).toEqual([])
  expect(flow.platform.texts().at(-1)).toMatch(/^Stopped, because it was going in circles/)
  await flow.say('do something else')
  expect(flow.platform.answers()).toEqual(['sorry'])
})

test('ERR-04 several wrong calls of one message', async () => {
  const wrong = calls([toRequest('read', {}), toRequest('read', {}), toRequest('grep', {})])
  const { flow } = await openFlow([wrong])
  await using _flow = flow
  await flow.say('go')
  const told = (await callsOf(flow)).map(({ result }) => result?.includes('\nschema: '))
  expect(told).toEqual([true, false, true])
})
