import type { Hono } from 'hono'
import {
  allowHosts,
  createHttpServer,
  type HttpServer,
} from '../../adapters/http/create-http-server.ts'
import { type Check, healthRoute } from '../../adapters/http/health-route.ts'
import { type MetricsText, metricsRoute } from '../../adapters/http/metrics-route.ts'
import type { Config } from '../../config/config.ts'
import { usualListen } from '../../config/schema/schema-runtime.ts'
import { CommandError } from '../../domain/command-error.ts'
import { hasCode } from '../../util/has-code.ts'
import type { Log } from '../../util/log.ts'

export interface HttpOptions {
  readonly config: Config
  readonly log: Log
  /** Checks of everything that this process needs. */
  readonly checks: Readonly<Record<string, Check>>
  readonly metrics: MetricsText
  /** Routes in addition to health and metrics. */
  readonly routes?: readonly Hono[]
}

/**
 * PROC-05: serves health, metrics and webhook. If the default address is taken, perhaps by another process of ours, it
 * logs that and returns undefined. Throws CommandError for a configured address.
 */
export async function serveHttp(options: HttpOptions): Promise<HttpServer | undefined> {
  const { config, log } = options
  const { listen = usualListen } = config.http
  try {
    const server = await createHttpServer({ listen, routes: routesOf(options), log })
    log.info({ listen, port: server.port }, 'http: health and metrics are served')
    return server
  } catch (error) {
    if (!hasCode(error, 'EADDRINUSE')) throw explainListening(error, listen)
    const words = `the address ${listen} of [http] listen is taken by another program`
    const mustListen = config.http.listen !== undefined || config.telegram.webhookUrl !== undefined
    if (mustListen) throw new CommandError(words, { code: 'HTTP_LISTEN', cause: error })
    log.warn({ listen }, `${words}: no health and no metrics are served here`)
    return undefined
  }
}

function routesOf({ config, checks, metrics, routes = [] }: HttpOptions): readonly Hono[] {
  const { publicUrl, allowedHosts } = config.http
  const own = publicUrl === undefined ? [] : [new URL(publicUrl).hostname]
  const hosts = allowHosts([...own, ...allowedHosts])
  return [healthRoute(checks, hosts), metricsRoute(metrics, hosts), ...routes]
}

/** Explains an address that this machine does not have, or a port that only root may use. */
function explainListening(error: unknown, listen: string): unknown {
  const code = ['EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND'].find((known) => hasCode(error, known))
  if (code === undefined) return error
  return new CommandError(`cannot listen on ${listen} of [http] listen: ${code}`, {
    code: 'HTTP_LISTEN',
    cause: error,
  })
}
