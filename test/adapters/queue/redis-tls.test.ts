import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRedisQueue } from '../../../src/adapters/queue/create-redis-queue.ts'
import { RedisRefused } from '../../../src/adapters/queue/redis-error.ts'
import { silentLog } from '../../../src/util/log.ts'
import { describeWithRedis } from '../../support/database/describe-with-redis.ts'
import { startRedis, type TestRedis } from '../../support/database/redis.ts'
import { printed } from './redis-log.ts'

const run = promisify(execFile)

describeWithRedis('Redis over TLS', () => {
  let folder: string
  let certFile: string
  let redis: TestRedis

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tls-'))
    certFile = join(folder, 'cert.pem')
    const keyFile = join(folder, 'key.pem')
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2'],
      ...['-keyout', keyFile, '-out', certFile],
    ])
    redis = await startRedis({ tls: { certFile, keyFile } })
  })
  afterAll(async () => {
    await redis[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  test('STORE-02 THREAT-14 rediss:// works with a certificate that NODE_EXTRA_CA_CERTS trusts', async () => {
    const script = fileURLToPath(new URL('./redis-over-tls.ts', import.meta.url))
    const env = { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: certFile }
    const { stdout } = await run(process.execPath, [script, redis.url], { env })
    expect(stdout).toBe('turn-1-1 heard\n')
  })

  test('STORE-02 THREAT-14 an untrusted certificate, or one for another name, is refused with a clear message', async () => {
    for (const host of ['localhost', '127.0.0.1']) {
      const url = redis.url.replace('localhost', host)
      const opening = createRedisQueue({ url, prefix: 'test', log: silentLog })
      const error: unknown = await opening.catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(RedisRefused)
      expect(printed(error)).toContain('shows a certificate that is not trusted')
      expect(printed(error)).not.toContain(redis.password)
    }
  })

  test('STORE-04 a Redis that expects TLS is waited for when addressed without it, until the signal', async () => {
    const url = redis.url.replace('rediss', 'redis')
    const stop = new AbortController()
    const opening = createRedisQueue({ url, prefix: 'test', log: silentLog, signal: stop.signal })
    setTimeout(() => stop.abort(new Error('given up')), 300)
    await expect(opening).rejects.toThrow()
  })
}, ['openssl'])
