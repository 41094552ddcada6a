import { Hono, type MiddlewareHandler } from 'hono'

/** Metrics as text with their content type. */
export interface MetricsText {
  readonly contentType: string
  text(): Promise<string>
}

/**
 * PROC-05: `GET /metrics`. Metrics name tools, models and numbers, and no text of users; the listener and `hosts` restrict
 * access.
 */
export function metricsRoute(metrics: MetricsText, hosts: MiddlewareHandler): Hono {
  const route = new Hono()
  route.get('/metrics', hosts, async (context) =>
    context.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType }),
  )
  return route
}
