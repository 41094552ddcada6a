import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  boostOf,
  describeUnmet,
  namedDependencies,
  unmetRequirements,
} from '../../../../src/rules/tools/shown/unmet-requirements.ts'

const rules = {
  deploy: { requires: ['build', 'test'], prefers: ['lint', 'format', 'audit'] },
  edit: { requires: ['read'], prefers: [] },
}
const dependencies = { boostPerDep: 0.15, maxTotalBoost: 0.2, rules }
const done = (...names: string[]) => new Set(names)

describe('what a tool needs first', () => {
  test('SCH-03 a tool is held back until all that it requires has succeeded, and says what is missing', () => {
    expect([...unmetRequirements(dependencies, done()).keys()]).toEqual(['deploy', 'edit'])
    expect(unmetRequirements(dependencies, done('build', 'read')).get('deploy')).toEqual({
      tool: 'deploy',
      unmet: ['test'],
    })
    expect(unmetRequirements(dependencies, done('build', 'test', 'read')).size).toBe(0)
  })

  test('SCH-03 what is missing is told in words', () => {
    expect(describeUnmet({ tool: 'deploy', unmet: ['build', 'test'] })).toBe(
      'deploy is there once build and test have succeeded in this session',
    )
    expect(describeUnmet({ tool: 'edit', unmet: ['read'] })).toMatch(/^edit .* read has succeeded/)
  })

  test('SCH-03 each satisfied preference adds its boost, never more than the whole', () => {
    expect(boostOf('deploy', dependencies, done())).toBe(0)
    expect(boostOf('deploy', dependencies, done('lint'))).toBe(0.15)
    expect(boostOf('deploy', dependencies, done('lint', 'format'))).toBe(0.2)
    expect(boostOf('deploy', dependencies, done('lint', 'format', 'audit'))).toBe(0.2)
    expect(boostOf('read', dependencies, done('lint'))).toBe(0)
    expect(boostOf('deploy', undefined, done('lint'))).toBe(0)
    expect(boostOf('constructor', dependencies, done('lint'))).toBe(0)
  })

  test('SCH-03 everything that others depend on is looked for, once', () => {
    expect(namedDependencies(dependencies)).toEqual([
      ...['build', 'test', 'lint', 'format', 'audit', 'read'],
    ])
  })

  test('SCH-03 whatever the rules, more success never hides a tool', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd')
    const names = fc.array(name, { maxLength: 4 })
    const rule = fc.record({ requires: names, prefers: names })
    fc.assert(
      fc.property(fc.dictionary(name, rule), names, names, (some, first, more) => {
        const before = unmetRequirements({ rules: some }, new Set(first))
        const later = unmetRequirements({ rules: some }, new Set([...first, ...more]))
        for (const tool of later.keys()) expect(before.has(tool)).toBe(true)
      }),
    )
  })
})
