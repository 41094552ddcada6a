import type { ToolSpec } from './tool-spec.ts'

/** `[tools.shell] timeout` and `max_timeout`, `[tools.scrape] timeout`, in milliseconds. */
export interface TimeLimits {
  readonly shellTimeoutMs: number
  readonly shellMaxTimeoutMs: number
  readonly webTimeoutMs: number
}

/** BASH-01, WEB-05: the time limit of one call in milliseconds; a command's own, never above the configured one. */
export function timeLimitOf(
  spec: ToolSpec,
  args: Readonly<Record<string, unknown>>,
  { shellTimeoutMs, shellMaxTimeoutMs, webTimeoutMs }: TimeLimits,
): number {
  if (spec.kind === 'fetch') return webTimeoutMs
  if (spec.kind !== 'execute') return spec.timeoutMs
  const asked = args['timeout']
  return typeof asked === 'number' ? Math.min(asked * 1000, shellMaxTimeoutMs) : shellTimeoutMs
}
