import { isKnownNoise } from '../known-noise.ts'
import { type StrategyInput, tells } from './strategy.ts'

/** What rustc prints of one problem: `[from, to)`, its first line, and where it is. */
interface Diagnostic {
  readonly from: number
  readonly to: number
  readonly headline: string
  readonly place: string
}

interface Lint {
  readonly rule: string
  /** Places by headline, as a rule may say different things; each with what explains it. */
  readonly places: Map<string, (readonly string[])[]>
  readonly advice: readonly string[]
}

const headline = /^(?:error|warning)(?:\[[A-Za-z]\d{1,6}\])?: /
const place = /^ *--> /

/**
 * Lints of one rule together, where the first of them stood; undefined: there is none. Where the command failed, what explains an
 * error stays.
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
    addBetween(rest, { lines, kept, from: done, to: diagnostic.from })
    done = diagnostic.to
    const lint = lints.get(rule)
    if (lint === undefined) continue
    lints.delete(rule)
    rest.push(...tell(lint))
  }
  addBetween(rest, { lines, kept, from: done, to: lines.length })
  return rest
}

function findDiagnostics(lines: readonly string[]): readonly Diagnostic[] {
  const found: Diagnostic[] = []
  for (let from = 0; from < lines.length; from += 1) {
    const first = lines[from] ?? ''
    const second = lines[from + 1] ?? ''
    if (!headline.test(first) || !place.test(second)) continue
    let to = from + 2
    while (to < lines.length && lines[to] !== '' && !headline.test(lines[to] ?? '')) to += 1
    if (lines[to] === '') to += 1
    found.push({ from, to, headline: first, place: second.trim() })
    from = to - 1
  }
  return found
}

const link = /^ *= help: for further information visit \S{1,512}#(\w{1,128})$/
const implied =
  /^ *= note: .{0,128}?(?:`#\[(?:warn|deny|forbid)\(([\w:]{1,128})\)\]`|`-[DWF] ([\w:-]{1,128})`)/

/** Which lint each is of; rustc names a lint once only, and says the same but for names from then on. */
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
    const lint = lints.get(rule) ?? { rule, places: new Map(), advice: adviceOf(lines, diagnostic) }
    const places = lint.places.get(diagnostic.headline) ?? []
    const isExplained = failed && diagnostic.headline.startsWith('error')
    places.push([diagnostic.place, ...(isExplained ? explain(lines, diagnostic) : [])])
    lint.places.set(diagnostic.headline, places)
    lints.set(rule, lint)
  }
  return lints
}

const annotation = /^ *(?:\||= (?:note|help): )/
const explanation = /\p{L}/u
/** What is advice, and why it is an error at all. */
const noExplanation =
  /^ *(?:= help: for further information visit |= note: (?:`#\[|`-[DWF] |requested on the command line))/
const mostExplanation = 8

/** The compiler's own words below the code, and its notes. */
function explain(lines: readonly string[], { from, to }: Diagnostic): readonly string[] {
  return lines
    .slice(from + 2, to)
    .filter((line) => annotation.test(line) && explanation.test(line) && !noExplanation.test(line))
    .slice(0, mostExplanation)
}

/** What the compiler proposes, and of the change itself some lines. */
const change = /^ *\d{1,7} [-+~] /
const mostAdvice = 5

function adviceOf(lines: readonly string[], { from, to }: Diagnostic): readonly string[] {
  const told = lines.slice(from, to)
  const start = told.findIndex((line) => line.startsWith('help: '))
  if (start === -1) return []
  const advice = told.slice(start).filter((line, at) => at === 0 || change.test(line))
  return advice.slice(0, mostAdvice)
}

function tell({ rule, places, advice }: Lint): readonly string[] {
  const count = [...places.values()].reduce((sum, some) => sum + some.length, 0)
  const shown = [...places].flatMap(([first, at]) => [
    first,
    ...at.flat().map((line) => `  ${line}`),
  ])
  const name = `  = lint ${rule}, ${count} ${count === 1 ? 'place' : 'places'}`
  return [...shown, name, ...advice.map((line) => `  ${line}`), '']
}

/** What stands between lints, without cargo's progress. */
function addBetween(
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
    if (kept[at] === tells || !isKnownNoise(line)) rest.push(line)
  }
}
