import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createWebPlace, errorOf, page, type WebPlace } from '../../support/web/web-place.ts'

let place: WebPlace
beforeAll(async () => {
  place = await createWebPlace()
})
afterAll(() => place[Symbol.asyncDispose]())
beforeEach(() => place.routes.clear())

const read = async (type: string, body: string | Buffer, headers?: Record<string, string>) => {
  place.routes.set('/page', page(type, body, headers))
  return place.fetch(place.url('/page'))
}

describe('fetch', () => {
  test('WEB-01 a page becomes readable text, with its links and without what it hides', async () => {
    const html = `<!doctype html><title>T &amp; U</title><style>no</style><h2>Hello&nbsp;there</h2>
      <p>One <a href="/two?a=1">two</a> and <a href="https://other.example/">three</a>.</p>
      <ul><li>first<li>second</ul><script>no()</script><p hidden>no</p><p style="display:none">no</p>`
    const outcome = await read('text/html; charset=utf-8', html)
    expect(outcome).toMatchObject({
      kind: 'ok',
      output: `Title: T & U\n\n## Hello there\n\nOne [two](${place.url('/two?a=1')}) and [three](https://other.example/).\n\n- first\n- second`,
    })
  })

  test.each([
    ['application/json', '{"a": [1,  2]}\n'],
    ['application/vnd.api+json; charset=utf-8', '{"ü":1}'],
    ['text/plain', '  <b>as it is</b>\r\n'],
    ['application/xml', '<?xml version="1.0"?><a>b</a>'],
    ['text/csv', 'a,b\n1,2\n'],
  ])('WEB-01 %s is returned unchanged', async (type, body) => {
    expect(await read(type, body)).toMatchObject({ kind: 'ok', output: body })
  })

  test.each([
    ['text/plain; charset=iso-8859-1', Buffer.from('caf\u00e9', 'latin1')],
    ['text/plain; charset=utf-16le', Buffer.from('café', 'utf16le')],
    ['text/plain', Buffer.from('\ufeffcafé', 'utf16le')],
    ['text/plain', Buffer.from('caf\u00e9', 'latin1')],
    ['text/plain; charset=no-such', Buffer.from('café')],
    ['text/html', Buffer.from('<meta charset="windows-1252">caf\u00e9', 'latin1')],
  ])('WEB-01 the charset is honoured: %s, %j', async (type, body) => {
    expect(await read(type, body)).toMatchObject({ kind: 'ok', output: 'café' })
  })

  test('WEB-01 binary content is refused with its type and size', async () => {
    const refused = async (type: string, body: Buffer, headers?: Record<string, string>) =>
      errorOf(await read(type, body, headers))
    const png = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
    expect(await refused('image/png', png, { 'content-length': '16' })).toEqual({
      category: 'permanent_failure',
      message: 'binary content is not fetched: image/png, 16 bytes',
    })
    expect((await refused('application/pdf', png)).message).toMatch(/application\/pdf, 16 bytes$/)
    expect((await refused('text/plain', png)).message).toMatch(/text\/plain, 16 bytes$/)
    expect((await refused('', png)).message).toMatch(/no type named, 16 bytes$/)
  })

  test('WEB-01 a response without a type is text or a page by its bytes', async () => {
    expect(await read('', 'plain')).toMatchObject({ kind: 'ok', output: 'plain' })
    expect(await read('', '<!DOCTYPE html><p>a<p>b')).toMatchObject({
      kind: 'ok',
      output: 'a\n\nb',
    })
  })

  test.each([
    ['gzip', gzipSync('packed')],
    ['x-gzip', gzipSync('packed')],
    ['br', brotliCompressSync('packed')],
    ['deflate', deflateSync('packed')],
    ['deflate', deflateRawSync('packed')],
    ['identity', Buffer.from('packed')],
    ['gzip, br', brotliCompressSync(gzipSync('packed'))],
  ])('WEB-01 a body in %s is decompressed', async (coding, body) => {
    const outcome = await read('text/plain', body, { 'content-encoding': coding })
    expect(outcome).toMatchObject({ kind: 'ok', output: 'packed' })
  })

  test('WEB-05 a body that is not in the encoding it claims is refused', async () => {
    for (const coding of ['gzip', 'br', 'zstd', 'gzip, gzip, gzip']) {
      const outcome = await read('text/plain', 'no', { 'content-encoding': coding })
      expect(errorOf(outcome)).toMatchObject({ category: 'permanent_failure' })
    }
  })

  test('WEB-07 each hop is recorded, with bytes and address and without apparent secrets', async () => {
    place.routes.set('/page', page('text/plain', 'hello'))
    const secret = 'k3yk3yk3yk3yk3yk3yk3y'
    const { hops } = await place.fetch(place.url(`/page?q=cats&token=abc&x=${secret}#part`))
    expect(hops).toEqual([
      {
        url: place.url('/page?q=cats&token=[redacted]&x=[redacted]'),
        host: 'site.example',
        method: 'GET',
        address: '127.0.0.1',
        status: 200,
        bytes: 5,
      },
    ])
  })

  test('WEB-05 nothing is stored beyond a call, and no cookie or identity is sent', async () => {
    await read('text/plain', 'a', { 'set-cookie': 'a=b' })
    await place.fetch(place.url('/page'))
    await expect.poll(() => place.connections.size).toBe(0)
    const { headers } = place.requests.at(-1) ?? {}
    expect(headers?.cookie).toBeUndefined()
    expect(headers?.host).toBe(`site.example:${place.port}`)
  })
})
