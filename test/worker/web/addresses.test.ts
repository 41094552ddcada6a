import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createWebTools } from '../../../src/worker/web/create-web-tools.ts'
import { createCertificates } from '../../support/web/create-certificates.ts'
import { refusedUrls } from '../../support/web/refused-urls.ts'
import { moreRefusedUrls } from '../../support/web/url-corpus.ts'
import {
  callTool,
  createWebPlace,
  errorOf,
  nobodyThere,
  page,
  site,
  stranger,
  type WebPlace,
} from '../../support/web/web-place.ts'

let place: WebPlace
beforeAll(async () => {
  place = await createWebPlace()
})
afterAll(() => place[Symbol.asyncDispose]())
beforeEach(() => {
  place.routes.clear()
  place.routes.set('/', page('text/plain', 'reached'))
})

describe('allowed destinations', () => {
  test.each(refusedUrls)(
    'WEB-02 the tool itself refuses %j before any socket and any lookup',
    async (url) => {
      const before = [place.requests.length, place.names.asked.length]
      const called = [await place.fetch(url), await place.scrape({ url, select: 'p' })]
      for (const outcome of called) {
        expect(errorOf(outcome).category).toBe('policy_blocked')
        expect(outcome).toMatchObject({ hops: [{ blocked: errorOf(outcome).message, bytes: 0 }] })
      }
      expect([place.requests.length, place.names.asked.length]).toEqual(before)
    },
  )

  test('WEB-02 ERR-07 every other URL is refused by policy without any lookup', async () => {
    const before = [place.requests.length, place.names.asked.length]
    const outcomes = await Promise.all(moreRefusedUrls.map((url) => place.fetch(url)))
    const categories = outcomes.map((outcome) => errorOf(outcome).category)
    expect(new Set(categories)).toEqual(new Set(['policy_blocked']))
    expect([place.requests.length, place.names.asked.length]).toEqual(before)
  })

  test.each([
    ['one bad among good ones', { a: ['93.184.216.34', '10.0.0.1'] }],
    ['a bad one last, of the other kind', { a: ['127.0.0.1'], aaaa: ['fd00::1'] }],
    ['loopback', { a: ['127.0.0.2'] }],
    ['link-local, where clouds tell secrets', { a: ['169.254.169.254'] }],
    ['an IPv4 address in an IPv6 one', { aaaa: ['::ffff:7f00:1'] }],
    ['a public IPv4 address in an IPv6 one', { aaaa: ['::ffff:808:808'] }],
    ['a public IPv4 address in an old IPv6 one', { aaaa: ['::808:808'] }],
    ['NAT64 of a private address', { aaaa: ['64:ff9b::a00:1'] }],
    ['6to4 of a private address', { aaaa: ['2002:a00:1::'] }],
    ['CGNAT', { a: ['100.64.0.1'] }],
    ['nothing', { a: ['0.0.0.0'] }],
  ])('WEB-03 a name that resolves to %s is refused before any socket', async (_what, answers) => {
    place.names.names.set('bad.example', () => answers)
    const before = place.requests.length
    const outcome = await place.fetch(place.url('/', 'bad.example'))
    expect(errorOf(outcome)).toMatchObject({
      category: 'policy_blocked',
      message: expect.stringContaining('is not a public address'),
    })
    expect(outcome).toMatchObject({ hops: [{ host: 'bad.example', blocked: expect.any(String) }] })
    expect([place.requests.length, place.connections.size]).toEqual([before, 0])
  })

  test('WEB-03 the connection is pinned to the checked address: a later change of the name has no effect', async () => {
    let asked = 0
    place.names.names.set(site, () => {
      asked += 1
      // Two queries a lookup: one for each kind of address.
      return asked <= 2 ? { a: ['127.0.0.1'] } : { a: ['10.0.0.1'] }
    })
    try {
      expect(await place.fetch(place.url('/'))).toMatchObject({ kind: 'ok', output: 'reached' })
      expect(asked).toBe(2)
      expect(errorOf(await place.fetch(place.url('/'))).category).toBe('policy_blocked')
    } finally {
      place.names.names.set(site, () => ({ a: ['127.0.0.1'] }))
    }
  })

  test('WEB-03 an unreachable address is followed by the next checked one', async () => {
    place.names.names.set('two.example', () => ({ a: [nobodyThere, '127.0.0.1'] }))
    const outcome = await place.fetch(place.url('/', 'two.example'))
    // Only a listening server presents a certificate that could be wrong.
    expect(errorOf(outcome).message).toContain('ERR_TLS_CERT_ALTNAME_INVALID')
  })

  test('WEB-03 the certificate must be valid for the name', async () => {
    const outcome = await place.fetch(place.url('/', stranger))
    expect(errorOf(outcome)).toMatchObject({
      category: 'network_error',
      message: 'the certificate is not one of stranger.example: ERR_TLS_CERT_ALTNAME_INVALID',
    })
  })

  test('WEB-03 the certificate must be of a trusted authority, whatever the environment says', async () => {
    const strict = { ...place.hooksForTests, ca: (await createCertificates([site])).ca }
    await using tools = createWebTools(place.options, strict)
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    try {
      const outcome = await callTool(tools, 'fetch', { url: place.url('/') })
      expect(errorOf(outcome)).toMatchObject({
        category: 'network_error',
        message: expect.stringContaining('cannot be trusted'),
      })
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    }
  })

  test('WEB-02 a final dot of a name changes nothing', async () => {
    const outcome = await place.fetch(place.url('/', `${site}.`))
    expect(outcome).toMatchObject({ kind: 'ok', output: 'reached' })
  })

  test('WEB-04 a domain that is not listed, or denied, is refused', async () => {
    const outcome = await place.fetch(place.url('/', 'denied.example'))
    expect(errorOf(outcome)).toMatchObject({ category: 'policy_blocked' })
    const rules = { ...place.options.rules, allowedDomains: ['other.*'] }
    await using tools = place.tools({ rules })
    const unlisted = await callTool(tools, 'fetch', { url: place.url('/') })
    expect(errorOf(unlisted).message).toBe('site.example is not an allowed domain')
  })

  test('WEB-08 without a hook from a test nothing on this machine can be reached', async () => {
    const { mayReach: _, ...hooks } = place.hooksForTests
    await using tools = createWebTools(place.options, { ...hooks, mayReach: () => false })
    const outcome = await callTool(tools, 'fetch', { url: place.url('/') })
    expect(errorOf(outcome).message).toBe(
      'site.example resolves to 127.0.0.1, which is not a public address',
    )
  })
})
