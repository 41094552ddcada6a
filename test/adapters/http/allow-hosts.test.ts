import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { allowHosts } from '../../../src/adapters/http/create-http-server.ts'

function status(host: string | undefined, names: readonly string[] = []) {
  const route = new Hono().get('/metrics', allowHosts(names), (context) => context.text('numbers'))
  const headers: Record<string, string> = host === undefined ? {} : { Host: host }
  return Promise.resolve(route.request('/metrics', { headers })).then((answer) => answer.status)
}

test.each([
  '127.0.0.1:8420',
  '10.0.0.7',
  '[::1]:8420',
  'localhost:8420',
  'LOCALHOST.',
  'metrics.localhost',
  'gateway:8420',
])('PROC-05 a client that names %s is answered', async (host) => {
  expect(await status(host)).toBe(200)
})

test.each([
  'evil.example',
  'evil.example:8420',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  'evil.example.',
  '127.0.0.1@evil.example',
  '[::1].evil.example',
  '',
  'a b',
])('PROC-05 a page whose name was pointed here reads nothing: %j', async (host) => {
  expect(await status(host)).toBe(421)
})

test('PROC-05 names of the configuration are known, in any case and with any port', async () => {
  const names = ['metrics.example']
  expect(await status('Metrics.Example:443', names)).toBe(200)
  expect(await status('x.metrics.example', names)).toBe(421)
  expect(await status(undefined, names)).toBe(421)
})
