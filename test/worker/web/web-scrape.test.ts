import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  callTool,
  createWebPlace,
  errorOf,
  page,
  type WebPlace,
} from '../../support/web/web-place.ts'

let place: WebPlace
beforeAll(async () => {
  place = await createWebPlace()
})
afterAll(() => place[Symbol.asyncDispose]())
beforeEach(() => place.routes.clear())

const html = `<!doctype html><title>T</title><main>
  <h2 id=a>One  &amp;
   <b>more</b></h2><h2 class="x y">Two</h2><a href="/rel">link</a><a>bare</a>
  <script type="application/ld+json">{"a":1}</script><p>p<script>no</script></p></main>`

const scrape = (args: Readonly<Record<string, unknown>>) => {
  place.routes.set('/', page('text/html', html))
  return place.scrape({ url: place.url('/'), ...args })
}

describe('web_scrape', () => {
  test.each([
    [{ select: 'h2' }, 'One & more\nTwo'],
    [{ select: 'h2', extract: 'text', limit: 1 }, 'One & more\n[1 of 2 elements shown]'],
    [{ select: 'h2.x', extract: 'html' }, '<h2 class="x y">Two</h2>'],
    [{ select: 'a', extract: 'attr:href' }, '/rel\n'],
    [{ select: 'main > h2:nth-of-type(2), title' }, 'T\nTwo'],
    [{ select: 'main:has(> p) b' }, 'more'],
    [{ select: 'script[type$=json]' }, '{"a":1}'],
    [{ select: 'p' }, 'p'],
    [{ select: 'table' }, 'No element matches table'],
  ])('WEB-01 %j', async (args, output) => {
    expect(await scrape(args)).toMatchObject({ kind: 'ok', output, hops: [{ status: 200 }] })
  })

  test.each([
    'h2[',
    '>',
    'a >',
    'a,',
    'a:nope',
    '::',
    'a{}',
    '',
    '#',
    ':has(',
    'a:nth-child(x)',
    '!!',
    ':is('.repeat(120),
  ])('WEB-01 the selector %j is refused before any request', async (select) => {
    const before = place.requests.length
    const outcome = await scrape({ select })
    expect(errorOf(outcome).category).toBe('invalid_parameters')
    expect(place.requests.length).toBe(before)
  })

  test('WEB-01 ten elements are returned without an explicit limit', async () => {
    place.routes.set('/', page('text/html', '<li>x</li>'.repeat(25)))
    const outcome = await place.scrape({ url: place.url('/'), select: 'li' })
    expect(outcome).toMatchObject({ output: `${'x\n'.repeat(10)}[10 of 25 elements shown]` })
  })

  test('WEB-01 XML is searched as XML, plain text is not searched', async () => {
    const feed = '<?xml version="1.0"?><rss><item><link>https://a.example/</link></item></rss>'
    place.routes.set('/', page('application/rss+xml', feed))
    const outcome = await place.scrape({ url: place.url('/'), select: 'item > link' })
    expect(outcome).toMatchObject({ output: 'https://a.example/' })
    place.routes.set('/', page('application/json', '{}'))
    expect(errorOf(await place.scrape({ url: place.url('/'), select: 'p' }))).toEqual({
      category: 'permanent_failure',
      message: 'there are no elements in application/json; fetch shows it as it is',
    })
  })

  test('WEB-05 a selector that takes hours ends with its time limit, and the worker responds meanwhile', async () => {
    place.routes.set('/', page('text/html', '<p>a</p>'.repeat(100_000)))
    await using tools = place.tools({ timeoutMs: 2_000 })
    let ticks = 0
    const timer = setInterval(() => (ticks += 1), 50)
    const select = 'p:nth-child(2n+1):not(:has(+ p:nth-last-child(3n))) ~ p:nth-last-child(odd)'
    const outcome = await callTool(tools, 'web_scrape', { url: place.url('/'), select })
    clearInterval(timer)
    expect(errorOf(outcome).category).toBe('timeout')
    expect(ticks).toBeGreaterThan(5)
  })

  test('WEB-05 a page whose tree exceeds the memory of its thread ends only that thread', async () => {
    const big = { ...place.options, maxBodyBytes: 64_000_000 }
    place.routes.set('/', page('text/html', '<i a b c d e f g>x</i>'.repeat(1_000_000)))
    await using tools = place.tools(big)
    const outcome = await callTool(tools, 'fetch', { url: place.url('/') })
    expect(errorOf(outcome)).toEqual({
      category: 'permanent_failure',
      message: 'the page took more memory to read than it may',
    })
    place.routes.set('/', page('text/html', '<p>after'))
    expect(await callTool(tools, 'fetch', { url: place.url('/') })).toMatchObject({
      output: 'after',
    })
  })
})
