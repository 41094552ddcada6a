import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import { configOf, loadToml, loadWith } from './support.ts'

const folder = path.join(import.meta.dirname, 'fixtures')

const expected: Readonly<Record<string, (config: Config) => void>> = {
  agent: ({ agent }) => expect(agent.maxToolIterations).toBe(10),
  basics: ({ tools }) => {
    expect(tools).toMatchObject({ enabled: true, summarizeOutput: false })
    expect(tools.shell).toMatchObject({ timeoutMs: 30_000, allowedPaths: [] })
    expect(tools.file.allowedPaths).toEqual([])
    expect(tools.permissions).toBeUndefined()
  },
  'permissions-with-empty-header': ({ tools }) =>
    expect(tools.permissions).toEqual({
      bash: [
        { pattern: '*sudo*', action: 'deny' },
        { pattern: 'cargo *', action: 'allow' },
        { pattern: '*', action: 'ask' },
      ],
    }),
  permissions: ({ tools }) =>
    expect(tools.permissions).toEqual({
      bash: [
        { pattern: 'cargo *', action: 'allow' },
        { pattern: '*sudo*', action: 'deny' },
      ],
    }),
  'file-read': ({ tools }) =>
    expect(tools.file).toEqual({
      allowedPaths: [],
      denyRead: ['/etc/shadow', '/root/*', '/home/*/.ssh/*'],
      allowRead: ['/etc/hostname'],
    }),
  'file-paths': ({ tools }) => expect(tools.file.allowedPaths).toEqual(['/home/user/project']),
  overflow: ({ tools }) =>
    expect(tools.overflow).toEqual({
      threshold: 50_000,
      retentionDays: 7,
      maxOverflowBytes: 10_485_760,
    }),
  'filters-path': ({ tools }) => expect(tools.filters.filtersPath).toBe('/path/to/my/filters.toml'),
  filters: ({ tools }) =>
    expect(tools.filters).toEqual({
      enabled: true,
      filtersPath: '',
      security: { enabled: true, extraPatterns: [] },
    }),
  tafc: ({ tools }) => expect(tools.tafc).toEqual({ enabled: true, complexityThreshold: 0.6 }),
  'result-cache': ({ tools }) =>
    expect(tools.resultCache).toMatchObject({ enabled: true, ttlMs: 300_000 }),
  dependencies: ({ tools }) =>
    expect(tools.dependencies).toEqual({
      enabled: true,
      boostPerDep: 0.15,
      maxTotalBoost: 0.2,
      rules: {
        deploy: { requires: ['build', 'test'], prefers: ['lint'] },
        edit: { requires: ['read'], prefers: [] },
      },
    }),
  'dependencies-one-rule': ({ tools }) =>
    expect(tools.dependencies.rules).toEqual({
      deploy: { requires: ['build', 'test'], prefers: ['lint'] },
    }),
  quota: ({ tools }) => expect(tools.maxToolCallsPerSession).toBe(50),
  authorization: ({ tools }) => {
    expect(tools.authorization.enabled).toBe(true)
    expect(tools.authorization.rules).toMatchObject([
      { effect: 'deny', tool: 'bash', argsMatch: '.*sudo.*' },
      { effect: 'allow', tool: 'read', paths: ['/home/*'] },
    ])
  },
  anomaly: ({ tools }) =>
    expect(tools.anomaly).toEqual({
      enabled: true,
      windowSize: 20,
      failureThreshold: 0.7,
      autoBlock: true,
    }),
  'adversarial-policy': ({ tools }) =>
    expect(tools.adversarialPolicy).toMatchObject({
      enabled: true,
      provider: 'fast',
      blockOnReject: true,
    }),
  scrape: ({ tools }) =>
    expect(tools.scrape).toMatchObject({ timeoutMs: 15_000, maxBodyBytes: 1_048_576 }),
  diagnostics: ({ tools }) => expect(tools.diagnostics.maxDiagnostics).toBe(50),
  index: ({ index }) => expect(index).toEqual({ enabled: true, vectorBackend: 'qdrant' }),
}

describe('CONF-04 every block that the manuals show loads with its meaning', () => {
  test('CONF-04 no block is without its test', () => {
    const blocks = readdirSync(folder).map((name) => path.parse(name).name)
    expect(blocks.sort()).toEqual(Object.keys(expected).sort())
  })

  test.for(Object.entries(expected))('CONF-04 the block %s', ([name, check]) => {
    check(configOf(loadToml(readFileSync(path.join(folder, `${name}.toml`)))))
  })

  test('CONF-04 the manuals’ defaults hold where nothing is written', () => {
    const { agent, tools } = configOf(loadWith({}))
    expect(agent).toMatchObject({ maxToolIterations: 10 })
    expect(agent.contextBudgetTokens).toBeUndefined()
    expect(tools.maxToolCallsPerSession).toBeUndefined()
    expect(tools).toMatchObject({
      enabled: true,
      summarizeOutput: false,
      shell: { timeoutMs: 30_000, allowedPaths: [], allowNetwork: false, transactional: false },
      file: { allowedPaths: [], denyRead: [], allowRead: [] },
      filters: { enabled: true, filtersPath: '', security: { enabled: true, extraPatterns: [] } },
      overflow: { threshold: 50_000, retentionDays: 7, maxOverflowBytes: 10_485_760 },
      resultCache: { enabled: true, ttlMs: 300_000 },
      dependencies: { enabled: false, boostPerDep: 0.15, maxTotalBoost: 0.2, rules: {} },
      tafc: { enabled: false, complexityThreshold: 0.6 },
      policy: { enabled: false, rules: [] },
      authorization: { enabled: false, rules: [] },
      anomaly: { enabled: true, windowSize: 20, failureThreshold: 0.7, autoBlock: true },
      adversarialPolicy: { enabled: false, blockOnReject: true, failOpen: false },
      scrape: { timeoutMs: 15_000, maxBodyBytes: 1_048_576 },
      diagnostics: { maxDiagnostics: 50 },
    })
  })

  test('CONF-04 sections beyond the manuals load', () => {
    const config = configOf(
      loadToml(`
[approval]
ttl = "12h"
remind_after = 600
[approval.roles]
high = "approver"
[budgets.caller]
cost_per_day = 2.5
[prices."claude-sonnet-4-5"]
input = 3.0
output = 15.0
[mcp.issues]
command = "issues-server"
environment = ["ISSUES_TOKEN"]
[scheduler]
enabled = false
[memory]
scope = "conversation"
[agents]
folders = ["agents"]
[[approval.quorum]]
tool = "bash"
pattern = "terraform apply *"
`),
    )
    expect(config.approval).toMatchObject({
      ttlMs: 43_200_000,
      remindAfterMs: 600_000,
      roles: { low: 'user', medium: 'user', high: 'approver' },
      quorum: [{ tool: 'bash', pattern: 'terraform apply *', people: 2 }],
    })
    expect(config.budgets.caller).toEqual({ costPerDay: 2.5 })
    expect(config.prices).toEqual({ 'claude-sonnet-4-5': { input: 3, output: 15 } })
    expect(config.mcp['issues']).toMatchObject({ command: 'issues-server', timeoutMs: 30_000 })
    expect(config.scheduler.enabled).toBe(false)
    expect(config.memory.scope).toBe('conversation')
    expect(config.agents.folders).toEqual(['/srv/bot/agents'])
  })

  test('CONF-05 [tools] enabled can be set to false', () => {
    expect(configOf(loadToml('[tools]\nenabled = false')).tools.enabled).toBe(false)
    expect(configOf(loadWith({}, { COUNTERSIGN_TOOLS_ENABLED: 'false' })).tools.enabled).toBe(false)
  })
})
