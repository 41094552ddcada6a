import type { Effect } from '../../../domain/effect.ts'
import { literalPrefix } from '../../../util/text/wildcard-match.ts'
import type { GateFacts } from '../gate-facts.ts'
import { hazardEffect } from '../hazard-effect.ts'
import { evaluate, mayDeny, narrowToText, toToolRules } from '../permissions/evaluate.ts'
import type { Decision, ToolRules } from '../permissions/evaluation.ts'
import { matchesText, type Rule } from '../permissions/rule.ts'
import { firstWord, rulesForText } from '../permissions/rule-index.ts'
import { analyseCommand } from '../shell/analyse-command.ts'
import type { ShellAnalysis, SubCommand } from '../shell/analysis.ts'
import { type CommandForms, formsOf } from '../shell/command-forms.ts'
import { hazardsOf } from '../shell/command-hazards.ts'
import { alwaysPattern, fitsGrant } from '../shell/grants/grantable.ts'
import { isPackageRunner } from '../shell/plain-wrappers.ts'
import { type Finding, strictest } from './finding.ts'
import { toFinding, unconfinedReason } from './permissions.ts'
import { checkShellPaths, notice } from './shell-paths.ts'
import { firmFinding, widerFinding } from './wide-rules.ts'

const maxWrappers = 4

/** Findings about a shell command; `hasNotice`: no rule could make it silent. */
export interface ShellFindings {
  readonly findings: readonly Finding[]
  /** GATE-10: questions that do not count while the gate is switched off; a card that is asked for another reason shows them. */
  readonly uncounted: readonly Finding[]
  readonly hasNotice: boolean
}

/** SHELL-02: applies the rules to every command, then the findings that no rule overrides; the strictest decides. */
export function checkShell(text: string, analysis: ShellAnalysis, facts: GateFacts): ShellFindings {
  if (analysis.refusal !== undefined)
    return {
      findings: [notice('deny', `the command ${analysis.refusal}`)],
      uncounted: [],
      hasNotice: true,
    }
  const rules = toToolRules(facts, 'bash')
  const inWhole = rulesInWhole(text, rules)
  const commands = distinct(analysis.commands).flatMap((command) =>
    command.standing === 'plain'
      ? checkCommand(command, inWhole, rules, facts)
      : checkInner(command, inWhole, rules),
  )
  const { redirections, words } = checkShellPaths(analysis, facts)
  const effectOf = (hazard: string): Effect => {
    const own = analysis.effects?.get(hazard)
    return own === undefined || own.of === hazard ? hazardEffect(hazard) : own
  }
  const notices = [
    ...analysis.hazards.map((hazard) => notice('ask', hazard, effectOf(hazard))),
    ...words,
  ]
  const whole = wholeText(text, analysis, rules)
  const off = rules.off
  const all = [...commands, ...whole, ...redirections, ...notices]
  const counts = ({ action, mayBeDenied }: Finding): boolean =>
    !off || action !== 'ask' || mayBeDenied === true
  return {
    findings: all.filter(counts),
    uncounted: all.filter((finding) => !counts(finding)),
    hasNotice:
      notices.length > 0 ||
      strictest(redirections) !== 'allow' ||
      commands.some(({ isFirm }) => isFirm),
  }
}

/** The operator's rules that match the whole text, evaluated once for all commands in it. */
function rulesInWhole(text: string, rules: ToolRules): ReadonlySet<Rule> {
  const candidates = rulesForText(rules.operator, [firstWord(text)])
  return new Set(candidates.filter((rule) => rule.action !== 'allow' && matchesText(rule, text)))
}

/** APPR-21: whether a bash rule matches a text or one of its commands. */
export function ruleMatchesCommand(rule: Rule, text: string): boolean {
  const { commands } = analyseCommand(text)
  const counted = commands.filter(({ standing }) => standing === 'plain' || rule.action === 'deny')
  if (counted.length === 0) return matchesText(rule, text)
  return counted.some((command) => matchesCommand(rule, formsOf(command), command, nothing))
}

/** No rule matches by the surrounding text. */
const nothing: ReadonlySet<Rule> = new Set()

/** Where no command was found, the operator's deny rules are still applied to the text. */
function wholeText(text: string, analysis: ShellAnalysis, rules: ToolRules): readonly Finding[] {
  if (analysis.commands.length > 0) return []
  const decision = evaluate(rules, (rule) => matchesText(rule, text), { about: text })
  return [toFinding('bash', '', decision)]
}

/** Removes repeated commands, so that each is evaluated once. */
function distinct(commands: readonly SubCommand[]): readonly SubCommand[] {
  const keyOf = ({ standing, source, words }: SubCommand): string =>
    `${standing} ${standing === 'plain' ? source : words.join(' ')}`
  return [...new Map(commands.map((command) => [keyOf(command), command])).values()]
}

function checkCommand(
  command: SubCommand,
  inWhole: ReadonlySet<Rule>,
  rules: ToolRules,
  facts: GateFacts,
): readonly Finding[] {
  const forms = formsOf(command)
  const decision = evaluate(
    rulesFor(command, forms, inWhole, rules),
    (rule) => matchesCommand(rule, forms, command, inWhole),
    { about: forms.full, isDirect: (rule) => matchesCommand(rule, forms, command, nothing) },
  )
  const { met = [] } = decision
  const offer = met.length > 0 ? { offer: { pattern: alwaysPattern(command), beats: met } } : {}
  const finding = { ...toFinding('bash', forms.full, unconfined(decision, facts)), ...offer }
  if (finding.action !== 'allow')
    return [finding, ...firmFinding(command, rules, met), ...command.hazards.map(hazard)]
  const names = decision.rule !== undefined && namesHazard(decision.rule, command)
  const found = [finding, ...widerFinding(command, rules)]
  return names || runsAllowed(command, inWhole, rules, facts)
    ? found
    : [...found, ...command.hazards.map(hazard)]
}

/** SHELL-04: `docker exec web ls` needs rules for `docker *` and `ls *`, `timeout 5 npm test` rules for both programs. */
function runsAllowed(
  { runs, source, through }: SubCommand,
  inWhole: ReadonlySet<Rule>,
  rules: ToolRules,
  facts: GateFacts,
  depth = 0,
): boolean {
  // Only the box limits what the names refer to.
  if ((through === 'names' && !facts.confined) || depth > maxWrappers) return false
  return (
    runs?.every((words) => {
      const inner: SubCommand = { words, source, standing: 'wrapped', ...hazardsOf(words) }
      const forms = formsOf(inner)
      const matches = (rule: Rule): boolean => matchesCommand(rule, forms, inner, inWhole)
      const own = rulesFor(inner, forms, inWhole, rules)
      const decision = evaluate(own, matches, { about: forms.full })
      // A grant covers only the command that the person saw, run by itself and in its own place.
      if (decision.rule?.grant === true || unconfined(decision, facts).action !== 'allow')
        return false
      if (inner.hazards.length === 0) return true
      if (through !== 'wrapper' && !(through === 'names' && isPackageRunner(words))) return false
      const names = decision.rule !== undefined && namesForm(decision.rule, inner)
      return names || runsAllowed(inner, inWhole, rules, facts, depth + 1)
    }) === true
  )
}

/** An inner command can only make the result stricter: its wrapper asks anyway. */
function checkInner(
  command: SubCommand,
  inWhole: ReadonlySet<Rule>,
  rules: ToolRules,
): readonly Finding[] {
  const forms = formsOf(command)
  const matches = (rule: Rule): boolean => matchesCommand(rule, forms, command, inWhole)
  const own = rulesFor(command, forms, inWhole, rules)
  if (!mayDeny(own, matches)) return []
  const decision = evaluate(own, matches, { about: forms.full })
  if (decision.action !== 'deny') return []
  if (command.standing === 'wrapped') return [toFinding('bash', forms.full, decision)]
  const why = `it may run ${JSON.stringify(forms.full)}, which a rule denies`
  return [{ ...notice('ask', why), mayBeDenied: true }]
}

/** Drops the rules that cannot match any of the texts tried by `matchesCommand`. */
function rulesFor(
  { source }: SubCommand,
  { full, base }: CommandForms,
  inWhole: ReadonlySet<Rule>,
  rules: ToolRules,
): ToolRules {
  const own = narrowToText(rules, [firstWord(full), firstWord(base), firstWord(source)])
  return inWhole.size === 0 ? own : { ...own, operator: rules.operator }
}

/** A rule with a bare program name allows only the system's program, not a workspace file of that name. */
function matchesCommand(
  rule: Rule,
  forms: CommandForms,
  command: SubCommand,
  inWhole: ReadonlySet<Rule>,
): boolean {
  if (rule.grant) return fitsGrant(rule, command)
  if (rule.matchesAll || matchesText(rule, forms.full)) return true
  if (rule.action !== 'allow') {
    if (matchesText(rule, forms.base) || matchesText(rule, forms.plain)) return true
    return inWhole.has(rule)
  }
  if (rule.literal === command.source) return true
  return forms.isSystem && matchesText(rule, forms.base)
}

/** A hazard is accepted by a rule for exactly this text, or for the required form. */
function namesHazard(rule: Rule, command: SubCommand): boolean {
  return rule.literal === command.source || namesForm(rule, command)
}

function namesForm(rule: Rule, { form }: SubCommand): boolean {
  return form !== undefined && literalPrefix(rule.text).startsWith(form)
}

/** BOX-01: without confinement, a rule that names no command lets nothing run silently. */
function unconfined(decision: Decision, facts: GateFacts): Decision {
  if (facts.confined || decision.action !== 'allow' || !decision.rule?.matchesAll) return decision
  return { action: 'ask', why: unconfinedReason, by: decision.by }
}

function hazard(reason: string): Finding {
  return notice('ask', reason, hazardEffect(reason))
}
