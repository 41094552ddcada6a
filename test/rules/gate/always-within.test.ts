import { describe, expect, test } from 'vitest'
import type { ApproverSettings } from '../../../src/domain/approvers.ts'
import { alwaysWithin } from '../../../src/rules/gate/always-within.ts'
import { findTool } from '../../../src/rules/tools/registry.ts'

const settings: ApproverSettings = {
  allowSelf: true,
  roles: { low: 'user', medium: 'user', high: 'user' },
  people: { low: 1, medium: 1, high: 1 },
  quorum: [],
}

function within(
  tool: string,
  always: string,
  quorum: { readonly tool: string; readonly pattern: string },
  texts: readonly string[] = [],
) {
  const subject = { texts, paths: [], isOpaque: false }
  const approvers = { ...settings, quorum: [{ ...quorum, people: 2 }] }
  return (
    alwaysWithin({ tool, risk: 'medium', subject }, findTool(tool) ?? {}, [always], approvers)
      .length > 0
  )
}

describe('what Always may offer where some calls need more people', () => {
  test.each([
    ['bash', 'git push *', { tool: 'bash', pattern: 'git push * main' }],
    ['bash', 'kubectl get *', { tool: 'shell_exec', pattern: '*PROD*' }],
    ['bash', './bin/deploy *', { tool: '*', pattern: 'deploy * live' }],
    ['fetch', 'api.example', { tool: 'fetch', pattern: 'https://api.example/admin*' }],
    ['delete_path', 'build', { tool: 'delete_path', pattern: 'build/keep/**' }],
    ['server_tool', '*', { tool: 'server_*', pattern: '*danger*' }],
  ] as const)(
    'APPR-12 THREAT-4 %s %s could cover %j: it is not offered',
    (tool, always, quorum) => {
      expect(within(tool, always, quorum)).toBe(false)
    },
  )

  test.each([
    ['bash', 'git log *', { tool: 'bash', pattern: 'git push *' }],
    ['bash', 'rm -rf build', { tool: 'bash', pattern: 'rm -rf *dist*' }],
    ['bash', 'git push *', { tool: 'fetch', pattern: '*' }],
    ['fetch', 'api.example', { tool: 'fetch', pattern: 'https://other.test/*' }],
    ['write', 'a.txt', { tool: 'write', pattern: 'secrets/**' }],
    ['server_tool', '{"a":1}', { tool: 'server_tool', pattern: 'x*' }],
  ] as const)('APPR-12 %s %s covers nothing of %j: it is offered', (tool, always, quorum) => {
    expect(within(tool, always, quorum)).toBe(true)
  })

  test('APPR-12 as many as the quorum wants may make a rule for all of it', () => {
    const quorum = { tool: 'bash', pattern: 'git push *' }
    expect(within('bash', 'git push *', quorum, ['git push origin main'])).toBe(true)
  })
})
