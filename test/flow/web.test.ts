import { describe, expect, test } from 'vitest'
import type { ModelRequest } from '../../src/ports/model.ts'
import { createFlow, type Flow } from '../support/flow.ts'
import { call, createScriptedModel, say } from '../support/scripted-model.ts'
import { createWebPlace, page, to, type WebPlace } from '../support/web/web-place.ts'

/** The product with its web tools in a place where they may reach this machine. */
async function openFlow(place: WebPlace, calls: readonly (readonly [string, unknown])[]) {
  const script = calls.flatMap(([tool, args], at) => [call(tool, args, `c${at}`), say('done')])
  const model = createScriptedModel(script)
  const flow = await createFlow({
    model,
    workerTools: place.tools().tools,
    settings: {
      COUNTERSIGN_TOOLS_SCRAPE_ALLOWED_PORTS: String(place.port),
      COUNTERSIGN_TOOLS_SCRAPE_DENIED_DOMAINS: 'denied.example',
    },
  })
  return { flow, model }
}

const resultIn = (request: ModelRequest | undefined): string =>
  JSON.stringify(request?.messages.findLast(({ role }) => role === 'tool'))

async function auditOf({ database }: Flow) {
  const rows = await database.pool.query(
    `select kind, verdict, result, error_category, hosts, body::jsonb as body from audit_log
     where call_id is not null order by id`,
  )
  const egress = await database.pool.query('select * from audit_egress order by at')
  return { rows: rows.rows, egress: egress.rows }
}

describe('the web in a conversation', () => {
  test('WEB-01 WEB-07 AUD-03 a fetch is asked, run and audited with every hop, without what looks secret', async () => {
    await using place = await createWebPlace()
    place.routes.set('/from', to('/page?session=q9z7k'))
    place.routes.set('/page', page('text/html', '<title>T</title><h1>Hello</h1>'))
    const url = place.url('/from?q=cats&token=q9z7k')
    const { flow, model } = await openFlow(place, [['fetch', { url }]])
    await using _flow = flow
    await flow.say('look')
    expect(place.requests).toEqual([])
    expect(flow.platform.statesOf(1).at(-1)).toBe('waiting')
    await flow.decide({ kind: 'approve' })
    expect(resultIn(model.requests.at(-1))).toContain('# Hello')
    expect(flow.platform.answers()).toEqual(['done'])
    const { rows, egress } = await auditOf(flow)
    expect(rows.map(({ kind }) => kind)).toEqual(['decided', 'hop', 'hop', 'settled'])
    expect(rows[1]).toMatchObject({
      hosts: ['site.example'],
      body: {
        ...{ kind: 'hop', tool: 'fetch', method: 'GET', address: '127.0.0.1', status: 302 },
        ...{ url: place.url('/from?q=cats&token=[redacted]'), bytes: 0, attempt: 1 },
      },
    })
    expect(egress).toMatchObject([
      {
        tool: 'fetch',
        hosts: ['site.example'],
        verdict: 'ask',
        result: 'success',
        hops: [
          { method: 'GET', status: 302, bytes: 0 },
          { url: place.url('/page?session=[redacted]'), status: 200, bytes: 30 },
        ],
      },
    ])
    expect(JSON.stringify([rows, egress])).not.toContain('q9z7k')
  })

  test('WEB-02 WEB-04 WEB-07 nobody is asked about what is refused; a redirect to it is refused and audited', async () => {
    await using place = await createWebPlace()
    place.routes.set('/', to('https://169.254.169.254/latest/'))
    const { flow, model } = await openFlow(place, [
      ['fetch', { url: 'https://127.1/' }],
      ['fetch', { url: place.url('/', 'denied.example') }],
      ['web_scrape', { url: place.url('/'), select: 'p' }],
    ])
    await using _flow = flow
    for (const text of ['one', 'two']) {
      await flow.say(text)
      expect(resultIn(model.requests.at(-1))).toContain('policy_blocked')
    }
    expect(await flow.db.selectFrom('approval').selectAll().execute()).toEqual([])
    await flow.say('three')
    await flow.decide({ kind: 'approve' })
    expect(resultIn(model.requests.at(-1))).toContain('169.254.169.254 is not a public address')
    const { rows, egress } = await auditOf(flow)
    expect(rows.at(-1)).toMatchObject({ result: 'blocked', error_category: 'policy_blocked' })
    expect(egress).toMatchObject([
      { hops: [{ status: 302 }, { blocked: '169.254.169.254 is not a public address' }] },
    ])
  })

  test('APPR-23 WEB-08 Always is for the host: what follows runs unasked, in the worker', async () => {
    await using place = await createWebPlace()
    place.routes.set('/a', page('text/plain', 'first')).set('/b', page('text/plain', 'second'))
    const { flow, model } = await openFlow(place, [
      ['fetch', { url: place.url('/a') }],
      ['fetch', { url: place.url('/b') }],
    ])
    await using _flow = flow
    await flow.say('one')
    await flow.decide({ kind: 'always' })
    await flow.say('two')
    expect(resultIn(model.requests.at(-1))).toContain('second')
    expect(await flow.db.selectFrom('approval').selectAll().execute()).toHaveLength(1)
    const { tools } = await flow.db.selectFrom('worker').select('tools').executeTakeFirstOrThrow()
    expect(JSON.parse(tools)).toEqual(expect.arrayContaining(['fetch', 'web_scrape']))
    expect(model.requests[0]?.tools.map(({ name }) => name)).toContain('web_scrape')
  })
})
