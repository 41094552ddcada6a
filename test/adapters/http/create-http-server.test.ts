import { connect } from 'node:net'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { createHttpServer, parseListen } from '../../../src/adapters/http/create-http-server.ts'
import { silentLog } from '../../../src/util/log.ts'
import { MemoryLog } from '../chat/telegram/incoming/memory-log.ts'

function echo(): Hono {
  const route = new Hono()
  route.post('/echo', async (context) => context.text(String((await context.req.text()).length)))
  return route
}

const serve = (routes: readonly Hono[], log = silentLog) =>
  createHttpServer({ listen: '127.0.0.1:0', routes, log })

function post(port: number, body: string, path = '/echo') {
  return fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body })
}

describe('the HTTP server', () => {
  test('DECISION-22 serves the routes it is given, on the port it says', async () => {
    const health = new Hono().get('/health', (context) => context.text('well'))
    await using server = await serve([echo(), health])
    expect(server.port).toBeGreaterThan(0)
    expect(await (await fetch(`http://127.0.0.1:${server.port}/health`)).text()).toBe('well')
    expect(await (await post(server.port, 'four')).text()).toBe('4')
  })

  test('DECISION-22 answers 404 to everything else', async () => {
    await using server = await serve([echo()])
    for (const path of ['/', '/echo/', '/ECHO', '/../echo', '/health', '/%00', '/%ff%fe']) {
      expect((await post(server.port, '', path)).status).toBe(path === '/../echo' ? 200 : 404)
    }
    expect((await fetch(`http://127.0.0.1:${server.port}/echo`)).status).toBe(404)
  })

  test('REL-02 hides why a route failed, and logs no message of it', async () => {
    const failing = new Hono().get('/fail', () => {
      throw new TypeError('a secret')
    })
    const log = new MemoryLog()
    await using server = await serve([failing], log)
    const answer = await fetch(`http://127.0.0.1:${server.port}/fail`)
    expect([answer.status, await answer.text()]).toEqual([500, ''])
    expect(log.having('TypeError')).toHaveLength(1)
    expect(log.lines.join()).not.toContain('a secret')
  })

  test('REL-02 survives what is no HTTP', async () => {
    await using server = await serve([echo()])
    for (const bytes of [
      '\0\x01\xff\r\n\r\n',
      'POST /echo HTTP/1.1\r\nContent-Length: x\r\n\r\n',
    ]) {
      const closed = Promise.withResolvers<void>()
      const socket = connect(server.port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
      socket.on('close', () => closed.resolve()).on('error', () => undefined)
      socket.resume()
      await closed.promise
    }
    expect(await (await post(server.port, 'x')).text()).toBe('1')
  })

  test('DECISION-22 says so when its address is taken', async () => {
    await using server = await serve([])
    const second = createHttpServer({
      listen: `127.0.0.1:${server.port}`,
      routes: [],
      log: silentLog,
    })
    await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  test('DECISION-22 lets requests end when it closes, but not for ever', async () => {
    const slow = Promise.withResolvers<void>()
    const come: string[] = []
    const route = new Hono()
      .get('/slow', async (context) => {
        come.push('slow')
        await slow.promise
        return context.text('done')
      })
      .get('/never', () => {
        come.push('never')
        return new Promise<never>(() => undefined)
      })
    const server = await serve([route])
    const ending = fetch(`http://127.0.0.1:${server.port}/slow`).then((answer) => answer.text())
    const cut = fetch(`http://127.0.0.1:${server.port}/never`).catch(() => 'cut')
    await expect.poll(() => come.length).toBe(2)
    const closed = server[Symbol.asyncDispose]()
    slow.resolve()
    expect(await ending).toBe('done')
    await closed
    expect(await cut).toBe('cut')
    await expect(post(server.port, 'x')).rejects.toThrow()
  })
})

test('DECISION-22 an address to listen on is a host and a port', () => {
  expect(parseListen('127.0.0.1:8420')).toEqual({ host: '127.0.0.1', port: 8_420 })
  expect(parseListen('[::1]:0')).toEqual({ host: '::1', port: 0 })
  expect(parseListen('bot.internal:65535')).toEqual({ host: 'bot.internal', port: 65_535 })
  for (const wrong of [
    '',
    '8420',
    ':8420',
    '127.0.0.1',
    '127.0.0.1:',
    '::1:8420',
    'a:65536',
    'a:-1',
    'a b:1',
  ]) {
    expect(() => parseListen(wrong)).toThrow('not an address to listen on')
  }
})
