import { expect, test } from 'vitest'
import { idleRules, unknownTools } from '../../src/app/unknown-tools.ts'
import { Environment } from '../../src/config/env.ts'
import { loadConfig } from '../../src/config/load.ts'

function configOf(variables: Readonly<Record<string, string>>) {
  const loaded = loadConfig({ cwd: '/nowhere', environment: new Environment(variables) })
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.problems))
  return loaded.config
}

const unknown = (variables: Readonly<Record<string, string>>) => unknownTools(configOf(variables))

const rules = JSON.stringify({
  deploy: { requires: ['build', 'read'], prefers: ['lint'] },
  edit: { requires: ['read'] },
})

test('SCH-03 a requirement that no tool can meet is refused by its key, with the nearest names', () => {
  const found = unknown({
    COUNTERSIGN_TOOLS_DEPENDENCIES_ENABLED: 'true',
    COUNTERSIGN_TOOLS_DEPENDENCIES_RULES: JSON.stringify({
      edit: { requires: ['raed', 'grep'], prefers: ['lint'] },
    }),
  })
  expect(found).toEqual([
    expect.stringMatching(
      /^\[tools\.dependencies\.rules\.edit\] requires: there is no tool "raed"; the nearest are read/,
    ),
    expect.stringContaining('[tools.dependencies.rules.edit] prefers: there is no tool "lint"'),
  ])
})

test('SCH-03 CONF-04 the rules of the manual are accepted; a rule for a missing tool yields a warning', () => {
  const manual = {
    COUNTERSIGN_TOOLS_DEPENDENCIES_ENABLED: 'true',
    COUNTERSIGN_TOOLS_DEPENDENCIES_RULES: rules,
  }
  expect(unknown(manual)).toEqual([])
  expect(idleRules(configOf(manual))).toEqual([
    expect.stringMatching(
      /^\[tools\.dependencies\.rules\.deploy\]: there is no tool "deploy"; the nearest are /,
    ),
  ])
  expect(idleRules(configOf({ COUNTERSIGN_TOOLS_DEPENDENCIES_RULES: rules }))).toEqual([])
})

test('SCH-03 disabled rules may name any tool, and so may those for a configured MCP server', () => {
  expect(unknown({ COUNTERSIGN_TOOLS_DEPENDENCIES_RULES: rules })).toEqual([])
  const enabled = { COUNTERSIGN_TOOLS_DEPENDENCIES_ENABLED: 'true' }
  const ofServer = JSON.stringify({ ci_deploy: { requires: ['ci_build'] } })
  expect(
    unknown({
      ...enabled,
      COUNTERSIGN_TOOLS_DEPENDENCIES_RULES: ofServer,
      COUNTERSIGN_MCP: JSON.stringify({ ci: { command: 'ci-server' } }),
    }),
  ).toEqual([])
  expect(
    idleRules(configOf({ ...enabled, COUNTERSIGN_TOOLS_DEPENDENCIES_RULES: ofServer })),
  ).toHaveLength(1)
})

test('SCH-02 a tool that is always shown must exist; the defaults do', () => {
  expect(unknown({})).toEqual([])
  expect(unknown({ COUNTERSIGN_TOOLS_SCHEMA_FILTER_ALWAYS_ON: '["read","raed"]' })).toEqual([
    expect.stringContaining('always_on: there is no tool "raed"; the nearest are read'),
  ])
})
