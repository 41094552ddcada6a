import { expect, test } from 'vitest'
import { unknownTools } from '../../src/app/unknown-tools.ts'
import { Environment } from '../../src/config/env.ts'
import { loadConfig } from '../../src/config/load.ts'

function unknown(variables: Readonly<Record<string, string>>): readonly string[] {
  const loaded = loadConfig({ cwd: '/nowhere', environment: new Environment(variables) })
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.problems))
  return unknownTools(loaded.config)
}

const rules = JSON.stringify({
  deploy: { requires: ['build', 'read'], prefers: ['lint'] },
  edit: { requires: ['read'] },
})

test('SCH-03 names that no tool has are refused, each by its key, with the nearest', () => {
  const found = unknown({
    COUNTERSIGN_TOOLS_DEPENDENCIES_ENABLED: 'true',
    COUNTERSIGN_TOOLS_DEPENDENCIES_RULES: rules,
  })
  expect(found).toEqual([
    expect.stringMatching(
      /^\[tools\.dependencies\.rules\.deploy\]: there is no tool "deploy"; the nearest are /,
    ),
    expect.stringContaining('[tools.dependencies.rules.deploy] requires: there is no tool "build"'),
    expect.stringContaining('[tools.dependencies.rules.deploy] prefers: there is no tool "lint"'),
  ])
})

test('SCH-03 rules that are switched off may name anything, and so may those for a configured MCP server', () => {
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
  expect(unknown({ ...enabled, COUNTERSIGN_TOOLS_DEPENDENCIES_RULES: ofServer })).toHaveLength(2)
})

test('SCH-02 a tool that is never to be left out must exist; the defaults do', () => {
  expect(unknown({})).toEqual([])
  expect(unknown({ COUNTERSIGN_TOOLS_SCHEMA_FILTER_ALWAYS_ON: '["read","raed"]' })).toEqual([
    expect.stringContaining('always_on: there is no tool "raed"; the nearest are read'),
  ])
})
