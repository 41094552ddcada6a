import { describe, expect, test } from 'vitest'
import { allowHosts, createHttpServer } from '../../../src/adapters/http/create-http-server.ts'
import { type Check, healthRoute } from '../../../src/adapters/http/health-route.ts'
import { metricsRoute } from '../../../src/adapters/http/metrics-route.ts'
import { silentLog } from '../../../src/util/log.ts'

const hosts = allowHosts([])
/** As a client of this machine names it. */
const local = { headers: { Host: 'localhost' } }

async function ask(checks: Readonly<Record<string, Check>>, path = '/readyz') {
  const response = await healthRoute(checks, hosts).request(path, local)
  return { status: response.status, body: await response.text() }
}

const well: Check = async () => undefined

describe('health', () => {
  test('PROC-05 /healthz answers whatever is amiss elsewhere', async () => {
    const amiss: Check = () => Promise.reject(new Error('away'))
    expect(await ask({ database: amiss }, '/healthz')).toEqual({ status: 200, body: 'ok' })
  })

  test('PROC-05 /readyz says that all is well', async () => {
    const { status, body } = await ask({ database: well, queue: well })
    expect(status).toBe(200)
    expect(JSON.parse(body)).toEqual({ ready: true, checks: { database: 'ok', queue: 'ok' } })
  })

  test('PROC-05 /readyz names what is amiss, and tells no more of an error than that there was one', async () => {
    const { status, body } = await ask({
      database: () => Promise.reject(new Error('postgres://user:hunter2@host/db is away')),
      queue: async () => 'Redis is not reachable',
      worker: well,
    })
    expect(status).toBe(503)
    expect(JSON.parse(body)).toEqual({
      ready: false,
      checks: { database: 'it failed', queue: 'Redis is not reachable', worker: 'ok' },
    })
  })

  test('PROC-05 /readyz says by which code a check failed, and nothing else of the error', async () => {
    const away = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:5432'), {
      code: 'ECONNREFUSED',
    })
    const refused = Object.assign(new Error('WRONGPASS hunter2'), { name: 'ReplyError' })
    const forged = Object.assign(new Error('x'), { code: 'hunter2 leaks' })
    const { body } = await ask({
      database: () => Promise.reject(new Error('wrapped', { cause: away })),
      queue: () => Promise.reject(refused),
      other: () => Promise.reject(forged),
    })
    expect(JSON.parse(body).checks).toEqual({
      database: 'it failed: ECONNREFUSED',
      queue: 'it failed: WRONGPASS',
      other: 'it failed',
    })
  })

  test('PROC-05 a check that hangs is not waited for, holds up no other and is begun once', async () => {
    const hanging = Promise.withResolvers<undefined>()
    let begun = 0
    const checks = {
      database: () => {
        begun += 1
        return hanging.promise
      },
      queue: well,
    }
    const route = healthRoute(checks, hosts)
    const answers = await Promise.all([
      route.request('/readyz', local),
      route.request('/readyz', local),
    ])
    for (const answer of answers) {
      expect(answer.status).toBe(503)
      expect(await answer.json()).toMatchObject({
        checks: { database: 'it did not answer in time', queue: 'ok' },
      })
    }
    expect(begun).toBe(1)
    hanging.resolve(undefined)
    expect((await route.request('/readyz', local)).status).toBe(200)
  })

  test('PROC-05 health and metrics are served beside each other', async () => {
    const metrics = { contentType: 'text/plain; version=0.0.4', text: async () => 'up 1\n' }
    await using server = await createHttpServer({
      listen: '127.0.0.1:0',
      routes: [healthRoute({ database: well }, hosts), metricsRoute(metrics, hosts)],
      log: silentLog,
    })
    const at = (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`)
    expect((await at('/healthz')).status).toBe(200)
    expect((await at('/readyz')).status).toBe(200)
    const answer = await at('/metrics')
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4')
    expect(await answer.text()).toBe('up 1\n')
    expect((await at('/elsewhere')).status).toBe(404)
  })
})
