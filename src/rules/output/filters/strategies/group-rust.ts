import { isKnownNoise } from '../find-noise.ts'
import { keptAsFailure, type StrategyInput } from './strategy.ts'

/** One diagnostic of rustc: lines `[from, to)`, its first line and its location. */
interface Diagnostic {
  readonly from: number
  readonly to: number
  readonly headline: string
  readonly location: string
}

interface Lint {
  readonly rule: string
  /** Locations by headline, as one rule may have several messages; each with its explanation. */
  readonly locations: Map<string, (readonly string[])[]>
  readonly advice: readonly string[]
}

const headline = /^(?:error|warning)(?:\[[A-Za-z]\d{1,6}\])?: /
const location = /^ *--> /

/**
 * Groups the lints of each rule at the position of the first one; undefined if there are none. If the command failed,
 * explanations of errors are kept.
 */
export function groupRust(
  lines: readonly string[],
  kept: Uint8Array,
  failed: boolean,
): readonly string[] | undefined {
  const diagnostics = findDiagnostics(lines)
  const rules = nameRules(lines, diagnostics)
  if (rules.size === 0) return undefined
  const lints = collect(lines, diagnostics, rules, failed)
  const rest: string[] = []
  let done = 0
  for (const diagnostic of diagnostics) {
    const rule = rules.get(diagnostic)
    if (rule === undefined) continue
    copyBetween(rest, { lines, kept, from: done, to: diagnostic.from })
    done = diagnostic.to
    const lint = lints.get(rule)
    if (lint === undefined) continue
    lints.delete(rule)
    rest.push(...formatLint(lint))
  }
  copyBetween(rest, { lines, kept, from: done, to: lines.length })
  return rest
}

function findDiagnostics(lines: readonly string[]): readonly Diagnostic[] {
  const found: Diagnostic[] = []
  for (let from = 0; from < lines.length; from += 1) {
    const first = lines[from] ?? ''
    const second = lines[from + 1] ?? ''
    if (!headline.test(first) || !location.test(second)) continue
    let to = from + 2
    while (to < lines.length && lines[to] !== '' && !headline.test(lines[to] ?? '')) to += 1
    if (lines[to] === '') to += 1
    found.push({ from, to, headline: first, location: second.trim() })
    from = to - 1
  }
  return found
}

const link = /^ *= help: for further information visit \S{1,512}#(\w{1,128})$/
const implied =
  /^ *= note: .{0,128}?(?:`#\[(?:warn|deny|forbid)\(([\w:]{1,128})\)\]`|`-[DWF] ([\w:-]{1,128})`)/

/**
 * Maps each diagnostic to its lint. rustc names a lint only once; later ones are recognised by a headline that differs only in
 * names.
 */
function nameRules(
  lines: readonly string[],
  diagnostics: readonly Diagnostic[],
): ReadonlyMap<Diagnostic, string> {
  const byForm = new Map<string, string>()
  const rules = new Map<Diagnostic, string>()
  for (const diagnostic of diagnostics) {
    const form = diagnostic.headline.replace(/`[^`]*`/g, '`')
    const rule = namedIn(lines, diagnostic) ?? byForm.get(form)
    if (rule === undefined) continue
    byForm.set(form, rule)
    rules.set(diagnostic, rule)
  }
  return rules
}

function namedIn(lines: readonly string[], { from, to }: Diagnostic): string | undefined {
  for (let at = from + 2; at < to; at += 1) {
    const line = lines[at] ?? ''
    const name = link.exec(line)?.[1] ?? implied.exec(line)?.slice(1).find(Boolean)
    if (name !== undefined) return name.replace(/^clippy::/, '').replaceAll('-', '_')
  }
  return undefined
}

function collect(
  lines: readonly string[],
  diagnostics: readonly Diagnostic[],
  rules: ReadonlyMap<Diagnostic, string>,
  failed: boolean,
): Map<string, Lint> {
  const lints = new Map<string, Lint>()
  for (const diagnostic of diagnostics) {
    const rule = rules.get(diagnostic)
    if (rule === undefined) continue
    const lint = lints.get(rule) ?? {
      rule,
      locations: new Map(),
      advice: adviceOf(lines, diagnostic),
    }
    const locations = lint.locations.get(diagnostic.headline) ?? []
    const isExplained = failed && diagnostic.headline.startsWith('error')
    locations.push([diagnostic.location, ...(isExplained ? explain(lines, diagnostic) : [])])
    lint.locations.set(diagnostic.headline, locations)
    lints.set(rule, lint)
  }
  return lints
}

const annotation = /^ *(?:\||= (?:note|help): )/
const explanation = /\p{L}/u
/** Advice, and notes on why a lint is an error. */
const noExplanation =
  /^ *(?:= help: for further information visit |= note: (?:`#\[|`-[DWF] |requested on the command line))/
const maxExplanationLines = 8

/** The compiler's annotations below the code, and its notes. */
function explain(lines: readonly string[], { from, to }: Diagnostic): readonly string[] {
  return lines
    .slice(from + 2, to)
    .filter((line) => annotation.test(line) && explanation.test(line) && !noExplanation.test(line))
    .slice(0, maxExplanationLines)
}

/** Lines of a proposed change; only the first few are kept. */
const change = /^ *\d{1,7} [-+~] /
const maxAdviceLines = 5

function adviceOf(lines: readonly string[], { from, to }: Diagnostic): readonly string[] {
  const printed = lines.slice(from, to)
  const start = printed.findIndex((line) => line.startsWith('help: '))
  if (start === -1) return []
  const advice = printed.slice(start).filter((line, at) => at === 0 || change.test(line))
  return advice.slice(0, maxAdviceLines)
}

function formatLint({ rule, locations, advice }: Lint): readonly string[] {
  const count = [...locations.values()].reduce((sum, some) => sum + some.length, 0)
  const shown = [...locations].flatMap(([first, at]) => [
    first,
    ...at.flat().map((line) => `  ${line}`),
  ])
  const name = `  = lint ${rule}, ${count} ${count === 1 ? 'place' : 'places'}`
  return [...shown, name, ...advice.map((line) => `  ${line}`), '']
}

/** Copies the lines between lints, without cargo's progress. */
function copyBetween(
  rest: string[],
  {
    lines,
    kept,
    from,
    to,
  }: Pick<StrategyInput, 'lines' | 'kept'> & Pick<Diagnostic, 'from' | 'to'>,
): void {
  for (let at = from; at < to; at += 1) {
    const line = lines[at] ?? ''
    if (kept[at] === keptAsFailure || !isKnownNoise(line)) rest.push(line)
  }
}
