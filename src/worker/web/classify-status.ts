import type { ToolError } from '../../domain/tool/tool-error.ts'

/** WEB-06: what a status other than success is to the model. `retryAfterMs`: what the answer asked for. */
export function classifyStatus(
  host: string,
  status: number,
  retryAfterMs: number | undefined,
): ToolError {
  const wait = retryAfterMs === undefined ? '' : `; it asks to wait ${inSeconds(retryAfterMs)}`
  return { category: categoryOf(status), message: `${host} answered ${status}${wait}` }
}

export function inSeconds(ms: number): string {
  return `${Math.ceil(ms / 1_000)} s`
}

function categoryOf(status: number): ToolError['category'] {
  if (status === 429) return 'rate_limited'
  if (status >= 500) return 'server_error'
  if (status === 401 || status === 403) return 'policy_blocked'
  if (status === 400 || status === 422) return 'invalid_parameters'
  return 'permanent_failure'
}
