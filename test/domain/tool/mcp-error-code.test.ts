import { expect, test } from 'vitest'
import { mcpErrorCategories } from '../../../src/domain/tool/mcp-error-code.ts'
import { isRetryable } from '../../../src/domain/tool/tool-error.ts'

test('ERR-05 REACH-02 the MCP codes transient, rate_limited and server_error are retryable, the others are not', () => {
  const retryable = Object.entries(mcpErrorCategories).filter(([, category]) =>
    isRetryable(category),
  )
  expect(retryable).toEqual([
    ['transient', 'network_error'],
    ['rate_limited', 'rate_limited'],
    ['server_error', 'server_error'],
  ])
  expect(mcpErrorCategories).toMatchObject({
    invalid_input: 'invalid_parameters',
    auth_failure: 'policy_blocked',
    not_found: 'permanent_failure',
    policy_blocked: 'policy_blocked',
  })
})
