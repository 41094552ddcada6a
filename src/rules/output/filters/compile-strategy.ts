import { assertNever } from '../../../util/guards.ts'
import type { StrategyOptions } from './filter-rule.ts'
import { type LinePattern, type PatternResult, toBuiltInPattern } from './line-pattern.ts'
import { dedup } from './strategies/dedup.ts'
import { createGitDiff, gitStatus } from './strategies/git.ts'
import {
  createKeepMatching,
  createStripAnnotated,
  createStripNoise,
  createTruncate,
  groupByRule,
} from './strategies/lines.ts'
import type { Strategy } from './strategies/strategy.ts'
import { testSummary } from './strategies/test-summary.ts'

export type Compile = (source: string) => PatternResult

/** Thrown for an unusable pattern; the message is shown to the operator and the rule is skipped. */
export class BadPattern extends Error {
  override readonly name = 'BadPattern'
}

/** Creates a strategy and compiles its patterns; throws `BadPattern`. */
export function compileStrategy(options: StrategyOptions, compile: Compile): Strategy {
  switch (options.type) {
    case 'strip_noise':
      return createStripNoise({
        patterns: compileAll(options.patterns, compile),
        steps: compileAll(options.steps ?? [], compile),
        areBuiltIn: compile === toBuiltInPattern,
      })
    case 'keep_matching':
      return createKeepMatching(compileAll(options.patterns, compile))
    case 'strip_annotated':
      return createStripAnnotated(options.prefixes)
    case 'truncate': {
      const { head, tail, max_lines: maxLines = head + tail, keep = [], headings = [] } = options
      return createTruncate({
        maxLines,
        head,
        tail,
        keep: compileAll(keep, compile),
        headings: compileAll(headings, compile),
      })
    }
    case 'test_summary':
      return testSummary
    case 'group_by_rule':
      return groupByRule
    case 'git_status':
      return gitStatus
    case 'git_diff':
      return createGitDiff(options.max_diff_lines)
    case 'dedup':
      return dedup
    default:
      return assertNever(options)
  }
}

/** Compiles one pattern; throws `BadPattern`. */
export function compilePattern(source: string, compile: Compile): LinePattern {
  const found = compile(source)
  if (found.kind === 'pattern') return found.pattern
  throw new BadPattern(`the regular expression ${found.why}`)
}

/** Joins trusted patterns into one expression, which is faster than testing each. */
function compileAll(sources: readonly string[], compile: Compile): readonly LinePattern[] {
  const isOne = compile === toBuiltInPattern && sources.length > 1
  const all = isOne ? [sources.map((source) => `(?:${source})`).join('|')] : sources
  return all.map((source) => compilePattern(source, compile))
}
