import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createWebPlace,
  errorOf,
  other,
  page,
  to,
  type WebPlace,
} from '../../support/web/web-place.ts'

let place: WebPlace
beforeAll(async () => {
  place = await createWebPlace()
})
afterAll(() => place[Symbol.asyncDispose]())
beforeEach(() => place.routes.clear())

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])(
    'WEB-04 a %i is followed, relative or to another host',
    async (status) => {
      place.routes.set('/a', to('b?c=d', status)).set('/b', to(place.url('/end', other), status))
      place.routes.set('/end', page('text/plain', 'there'))
      const outcome = await place.fetch(place.url('/a'))
      expect(outcome).toMatchObject({
        kind: 'ok',
        output: `there\n[redirected to ${place.url('/end', other)}]`,
        hops: [
          { host: 'site.example', status },
          { url: place.url('/b?c=d'), status },
          { host: 'other.example', status: 200, bytes: 5 },
        ],
      })
    },
  )

  test('WEB-04 WEB-05 three redirects are followed, a fourth is a permanent failure, and so is a loop', async () => {
    for (const step of [1, 2, 3, 4]) place.routes.set(`/${step}`, to(`/${step - 1}`))
    place.routes.set('/0', page('text/plain', 'there')).set('/loop', to('/loop'))
    expect(await place.fetch(place.url('/3'))).toMatchObject({ kind: 'ok' })
    for (const path of ['/4', '/loop']) {
      const before = place.requests.length
      const outcome = await place.fetch(place.url(path))
      expect(errorOf(outcome)).toEqual({
        category: 'permanent_failure',
        message: 'more than 3 redirects',
      })
      expect(outcome.hops).toHaveLength(4)
      expect(place.requests.length - before).toBe(4)
    }
  })

  test.each([
    'http://site.example/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://2130706433/',
    'https://169.254.169.254/latest/meta-data/',
    'https://metadata.google.internal/',
    'https://localhost/',
    '//10.0.0.1/',
    'https://user:pass@site.example/',
    'https://denied.example/',
    'https://site.example:8443/',
    'file:///etc/passwd',
    'data:text/plain,x',
    'javascript:alert(1)',
    '\\\\127.0.0.1\\',
  ])(
    'WEB-04 each hop is checked as a URL of its own: a redirect to %j is refused',
    async (target) => {
      place.routes.set('/a', to(target))
      const outcome = await place.fetch(place.url('/a'))
      expect(errorOf(outcome).category).toBe('policy_blocked')
      expect(outcome).toMatchObject({ hops: [{ status: 302 }, { blocked: expect.any(String) }] })
      expect(JSON.stringify(outcome)).not.toContain('pass@')
    },
  )

  test('WEB-03 WEB-04 the addresses of each hop are checked too', async () => {
    place.names.names.set('inside.example', () => ({ a: ['192.168.0.1'] }))
    place.routes.set('/a', to(place.url('/', 'inside.example')))
    expect(errorOf(await place.fetch(place.url('/a')))).toMatchObject({
      category: 'policy_blocked',
      message: 'inside.example resolves to 192.168.0.1, which is not a public address',
    })
  })

  test('WEB-05 the body of a redirect or an error is not read, and its connection ends', async () => {
    for (const status of [302, 404]) {
      place.routes.set('/a', (_, response) => {
        response.writeHead(status, { location: '/b' }).write('a')
      })
      place.routes.set('/b', page('text/plain', 'there'))
      const { hops } = await place.fetch(place.url('/a'))
      expect(hops?.[0]).toMatchObject({ status, bytes: 0 })
      await expect.poll(() => place.connections.size).toBe(0)
    }
  })

  test('WEB-06 a redirect without a valid target is a permanent failure', async () => {
    place.routes.set('/a', (_, response) => void response.writeHead(302).end())
    place.routes.set('/b', to('https://exa mple/')).set('/c', to('/', 300))
    for (const path of ['/a', '/b', '/c']) {
      expect(errorOf(await place.fetch(place.url(path))).category).toBe('permanent_failure')
    }
  })
})
