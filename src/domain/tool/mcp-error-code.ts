import type { ToolErrorCategory } from './tool-error.ts'

/** ERR-05, REACH-02: error categories by the code that the MCP client reports. */
export const mcpErrorCategories = {
  transient: 'network_error',
  rate_limited: 'rate_limited',
  invalid_input: 'invalid_parameters',
  auth_failure: 'policy_blocked',
  server_error: 'server_error',
  not_found: 'permanent_failure',
  policy_blocked: 'policy_blocked',
} as const satisfies Readonly<Record<string, ToolErrorCategory>>
