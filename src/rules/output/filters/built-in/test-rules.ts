import type { FilterRule } from '../filter-rule.ts'
import { launched } from './command-patterns.ts'

const testSummary = { type: 'test_summary' } as const

/** Rules for test runners. */
export const testRules: readonly FilterRule[] = [
  {
    name: 'cargo-test',
    match: { regex: String.raw`^cargo (?:\+\S+ )?(?:-\S+ )*(?:test|t)(?: |$)` },
    strategy: testSummary,
  },
  {
    name: 'cargo-nextest',
    match: { regex: String.raw`^cargo (?:\+\S+ )?(?:-\S+ )*nextest(?: |$)` },
    strategy: testSummary,
  },
  {
    name: 'pytest',
    match: { regex: launched(String.raw`pytest|py\.test`) },
    strategy: testSummary,
  },
  {
    name: 'go-test',
    match: { regex: String.raw`^(?:go (?:-C \S+ )?test|gotestsum)(?: |$)` },
    strategy: testSummary,
  },
  { name: 'vitest', match: { regex: launched('vitest|jest') }, strategy: testSummary },
  { name: 'playwright', match: { regex: launched('playwright test') }, strategy: testSummary },
  {
    name: 'gradle',
    match: { regex: '^(?:gradle|gradlew)(?: |$)' },
    strategy: testSummary,
  },
]
