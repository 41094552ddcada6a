import { Hono, type MiddlewareHandler } from 'hono'

/** Metrics as text, and the type that says which form it is. */
export interface MetricsText {
  readonly contentType: string
  text(): Promise<string>
}

/** PROC-05: `GET /metrics`. They name tools, models and numbers, nobody's words; the listener and `hosts` decide who may ask. */
export function metricsRoute(metrics: MetricsText, hosts: MiddlewareHandler): Hono {
  const route = new Hono()
  route.get('/metrics', hosts, async (context) =>
    context.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType }),
  )
  return route
}
