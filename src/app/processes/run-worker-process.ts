import { unlessAborted, untilAborted } from '../../util/abort.ts'
import { readVerifyKeys } from '../keys/load-verify-keys.ts'
import { observe } from '../logs/observe.ts'
import { openRedisTransport } from '../open-redis-transport.ts'
import { type ProcessOptions, say } from '../settings/process-options.ts'
import { checkQueue } from './check-state.ts'
import { serveHttp } from './serve-http.ts'
import { openSandbox, runWorker } from './start-worker.ts'

/**
 * PROC-01: runs a replica of a worker, one of any number, until it is asked to end. It cannot reach the database: results
 * go through the queue, signed.
 */
export async function runWorkerProcess(options: ProcessOptions): Promise<void> {
  const { config, environment, log, signal } = options
  const verifyKeys = await readVerifyKeys(config.verifyKeysFile ?? '')
  const workerToken = config.secrets.workerToken?.reveal() ?? ''
  await using observation = await observe({ config, log, process: 'worker' })
  const { observer, metrics } = observation
  const opened = await unlessAborted(openSandbox(config, environment, log), signal, undefined)
  if (opened === undefined) return
  const { driver, why } = opened
  const url = config.redisUrl?.reveal() ?? ''
  await using transport = await openRedisTransport(config, url, log, signal)
  const parts = { config, environment, driver, verifyKeys, workerToken, observer, log }
  await using _worker = await runWorker({ ...parts, ...transport })
  const checks = { queue: checkQueue(transport.queue) }
  await using _http = await serveHttp({ config, log, checks, metrics })
  say(
    options,
    `Worker "${config.worker.name}": ready. Sandbox: ${why}.`,
    ...driver.warnings.map((warning) => `Warning: ${warning}.`),
  )
  await untilAborted(signal)
}
