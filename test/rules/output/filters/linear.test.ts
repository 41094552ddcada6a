import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyFilters } from '../../../../src/rules/output/filters/apply-filters.ts'
import { lastSegment } from '../../../../src/rules/output/filters/command-segment.ts'
import {
  builtInRules,
  compileFilters,
} from '../../../../src/rules/output/filters/compile-filters.ts'
import { leastProcessorMs, processorMs } from '../../../support/processor-ms.ts'
import { samples } from './samples.ts'

const { filters } = compileFilters()
const lineCharacters = 40_000
/** Time limit: quadratic time exceeds it for a line of that length, linear time needs a hundredth of it. */
const mostMs = 60

/** All regular expressions that run on output or commands, recorded while they run. */
function expressionsAtWork(work: () => void): readonly string[] {
  const seen = new Set<string>()
  const { exec } = RegExp.prototype
  RegExp.prototype.exec = function observed(text) {
    seen.add(this.source)
    return exec.call(this, text)
  }
  try {
    work()
  } finally {
    RegExp.prototype.exec = exec
  }
  return [...seen]
}

function filterAllSamples(): void {
  for (const { command, text } of samples) {
    for (const line of [command, `( ${command} ) 2>&1 | tail`]) {
      for (const exitCode of [0, 1, null]) applyFilters(filters, text, { command: line, exitCode })
    }
  }
}

/** Splits alternatives: `^(?:a|b)` and `a|b` become `^(?:a)` and `^(?:b)`, so that each gets its own lines. */
function waysOf(source: string): readonly string[] {
  const inner = /^(\^?)\(\?:(.*)\)$/s.exec(source)
  const ways = splitWays(inner?.[2] ?? source)
  if (inner !== null && ways !== undefined) return ways.map((way) => `${inner[1]}(?:${way})`)
  return splitWays(source) ?? [source]
}

/** Undefined if a closing parenthesis has its opening one further ahead. */
function splitWays(source: string): readonly string[] | undefined {
  const ways = ['']
  let depth = 0
  for (const [piece] of source.matchAll(/\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|./gsu)) {
    if (piece === '(') depth += 1
    if (piece === ')') depth -= 1
    if (depth < 0) return undefined
    if (piece === '|' && depth === 0) ways.push('')
    else ways.push(`${ways.pop()}${piece}`)
  }
  return ways
}

/** Long lines that repeat a text matched by the expression and differ only at the end. */
function longLines(source: string): readonly string[] {
  const bounded = source.replace(/\\b|\(\?<?[!=](?:\[[^\]]*\]|[^()])*\)/g, '')
  const wanted = fc.sample(fc.stringMatching(new RegExp(bounded), { size: 'xsmall' }), {
    seed: 1,
    numRuns: 8,
  })
  return wanted.flatMap((text) => {
    const middle = Math.floor(text.length / 2)
    const parts: readonly (readonly [string, string])[] = [
      ['', text],
      [text, text],
      [text, text.slice(-1)],
      [text.slice(0, middle), text.slice(middle)],
      [text.slice(0, middle), text.slice(middle, middle + 1)],
      [text.slice(0, 1), text.slice(1)],
      [text, ' '],
    ]
    return parts
      .filter(([, again]) => again !== '')
      .map(([head, again]) => `${head}${again.repeat(lineCharacters / again.length)}\u0001`)
  })
}

describe('each regular expression', () => {
  const own = builtInRules.flatMap(({ match, strategy }) => [
    ...(match.regex === undefined ? [] : [match.regex]),
    ...('patterns' in strategy ? strategy.patterns : []),
    ...('steps' in strategy ? (strategy.steps ?? []) : []),
    ...('keep' in strategy ? (strategy.keep ?? []) : []),
  ])
  const all = new Set([...own, ...expressionsAtWork(filterAllSamples).flatMap(waysOf)])

  test('OUT-07 the expressions of strategies are covered, not only those of rules', () => {
    expect(all.size).toBeGreaterThan(own.length + 50)
  })

  test.each([...all])('OUT-07 /%s/ takes linear time', (source) => {
    const expression = new RegExp(source)
    for (const line of longLines(source)) {
      expect(
        leastProcessorMs(() => expression.test(line), mostMs),
        line.slice(0, 80),
      ).toBeLessThan(mostMs)
    }
  })
})

test("OUT-07 a line of pytest's words is not slow", () => {
  const text = `= ${'passed = '.repeat(16_000)}x`
  const filter = () => applyFilters(filters, text, { command: 'pytest', exitCode: 1 })
  expect(processorMs(filter)).toBeLessThan(200)
})

test('OUT-03 OUT-07 a run of closing brackets within quotes is not slow', () => {
  const command = `make "${')'.repeat(40_000)}x"`
  expect(processorMs(() => lastSegment(command))).toBeLessThan(200)
})
