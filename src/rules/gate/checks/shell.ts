import { literalPrefix } from '../../../util/wildcard-match.ts'
import type { GateFacts } from '../gate-facts.ts'
import { matchesPath, type PathForms, toPathForms } from '../paths/path-forms.ts'
import {
  type Decision,
  denialsOf,
  evaluate,
  type ToolRules,
  toToolRules,
} from '../permissions/evaluate.ts'
import { matchesText, type Rule } from '../permissions/rule.ts'
import type { Redirection, ShellAnalysis, SubCommand } from '../shell/analysis.ts'
import { maxDirectories, namedPathsOf, possibleDirectories } from '../shell/named-paths.ts'
import { baseName, isSystemProgram } from '../shell/program-name.ts'
import { type Finding, strictest } from './finding.ts'
import { toFinding } from './permissions.ts'
import { isProtected, protectedFinding } from './protected-paths.ts'

/** What was found about a shell command; `hasNotice`: no rule could make it silent. */
export interface ShellFindings {
  readonly findings: readonly Finding[]
  readonly hasNotice: boolean
}

/** SHELL-02: every command by the rules, then what no rule takes back; the strictest finding decides. */
export function checkShell(text: string, analysis: ShellAnalysis, facts: GateFacts): ShellFindings {
  if (analysis.tooLong) {
    return { findings: [notice('deny', 'the command is longer than 64 KiB')], hasNotice: true }
  }
  const rules = toToolRules(facts, 'bash')
  const denials = denialsOf(rules)
  const inWhole = matcherOf(text)
  const commands = distinct(analysis.commands).flatMap((command) =>
    command.standing === 'plain'
      ? checkCommand(command, inWhole, rules, facts)
      : checkInner(command, inWhole, rules, denials),
  )
  const directories = possibleDirectories(analysis.commands, facts.workspace)
  const redirections = checkRedirections(analysis.redirections, directories, facts)
  const paths = checkWords(analysis, directories, facts)
  const notices = [...analysis.hazards.map((hazard) => notice('ask', hazard)), ...paths]
  const whole = wholeText(text, analysis, rules)
  const off = rules.off
  const all = [...commands, ...whole, ...redirections, ...notices]
  return {
    findings: off ? all.filter(({ action }) => action !== 'ask') : all,
    hasNotice: notices.length > 0 || strictest(redirections) !== 'allow',
  }
}

type Matcher = (rule: Rule) => boolean

/** The whole text is tried once a rule, however many commands stand in it. */
function matcherOf(text: string): Matcher {
  const known = new Map<Rule, boolean>()
  return (rule) => {
    const found = known.get(rule) ?? matchesText(rule, text)
    known.set(rule, found)
    return found
  }
}

/** Where no command was found, the operator's vetoes still look at the text. */
function wholeText(text: string, analysis: ShellAnalysis, rules: ToolRules): readonly Finding[] {
  if (analysis.commands.length > 0) return []
  return [
    toFinding(
      'bash',
      '',
      evaluate(rules, (rule) => matchesText(rule, text)),
    ),
  ]
}

/** The same command twice is judged once. */
function distinct(commands: readonly SubCommand[]): readonly SubCommand[] {
  const keyOf = ({ standing, source, words }: SubCommand): string =>
    `${standing} ${standing === 'plain' ? source : words.join(' ')}`
  return [...new Map(commands.map((command) => [keyOf(command), command])).values()]
}

function checkCommand(
  command: SubCommand,
  inWhole: Matcher,
  rules: ToolRules,
  facts: GateFacts,
): readonly Finding[] {
  const forms = formsOf(command)
  const decision = evaluate(rules, (rule) => matchesCommand(rule, forms, command, inWhole))
  const finding = toFinding('bash', forms.full, unconfined(decision, facts))
  if (finding.action !== 'allow') return [finding, ...command.hazards.map(hazard)]
  const names = decision.rule !== undefined && namesHazard(decision.rule, command)
  return names ? [finding] : [finding, ...command.hazards.map(hazard)]
}

/** What a wrapper runs can only make it stricter: the wrapper itself asks already. */
function checkInner(
  command: SubCommand,
  inWhole: Matcher,
  rules: ToolRules,
  denials: readonly Rule[],
): readonly Finding[] {
  const forms = formsOf(command)
  const matches = (rule: Rule): boolean => matchesCommand(rule, forms, command, inWhole)
  if (!denials.some(matches)) return []
  const decision = evaluate(rules, matches)
  if (decision.action !== 'deny') return []
  if (command.standing === 'wrapped') return [toFinding('bash', forms.full, decision)]
  return [notice('ask', `it may run ${JSON.stringify(forms.full)}, which a rule denies`)]
}

interface Forms {
  /** With the program's full path, and with its base name. */
  readonly full: string
  readonly base: string
  /** Without the options before the first other word: `git push` for `git --no-pager push`. */
  readonly plain: string
  readonly isSystem: boolean
}

function formsOf(command: SubCommand): Forms {
  const [program = '', ...rest] = command.words
  const first = rest.findIndex((word) => !word.startsWith('-'))
  const plain = first === -1 ? rest : rest.slice(first)
  return {
    full: command.words.join(' '),
    base: [baseName(program), ...rest].join(' '),
    plain: [baseName(program), ...plain].join(' '),
    isSystem: isSystemProgram(program),
  }
}

/** A bare name allows the system's program alone, not a file of that name in the workspace. */
function matchesCommand(rule: Rule, forms: Forms, command: SubCommand, inWhole: Matcher): boolean {
  if (rule.matchesAll || matchesText(rule, forms.full)) return true
  if (rule.action !== 'allow') {
    if (matchesText(rule, forms.base) || matchesText(rule, forms.plain)) return true
    return rule.layer === 'operator' && inWhole(rule)
  }
  if (rule.literal === command.source) return true
  return forms.isSystem && matchesText(rule, forms.base)
}

/** A hazard is accepted by a rule for exactly this text, or for the form that it needs. */
function namesHazard(rule: Rule, command: SubCommand): boolean {
  if (rule.literal === command.source) return true
  return command.form !== undefined && literalPrefix(rule.text).startsWith(command.form)
}

/** BOX-01: as ourselves, nothing runs silently because of a rule that names no command. */
function unconfined(decision: Decision, facts: GateFacts): Decision {
  if (facts.confined || decision.action !== 'allow' || !decision.rule?.matchesAll) return decision
  return { action: 'ask', why: 'commands are not confined here, and no rule names this one' }
}

/** SHELL-06: where output goes is checked as `write`, where input comes from as `read`. */
function checkRedirections(
  redirections: readonly Redirection[],
  directories: readonly string[],
  facts: GateFacts,
): readonly Finding[] {
  return (['read', 'write'] as const).flatMap((use) => {
    const targets = new Set(redirections.flatMap((to) => (to.use === use ? (to.path ?? []) : [])))
    const rules = toToolRules(facts, use)
    return [...targets]
      .filter((path) => !/^(?:\d+|-|\/dev\/(?:null|stdout|stderr))$/.test(path))
      .flatMap((path) => directories.flatMap((at) => checkTarget(use, path, at, rules, facts)))
  })
}

function checkTarget(
  use: 'read' | 'write',
  path: string,
  directory: string,
  rules: ToolRules,
  facts: GateFacts,
): readonly Finding[] {
  const forms = toPathForms(path, facts.workspace, directory)
  if (isProtected(forms, facts)) return [protectedFinding(path)]
  const decision = evaluate(rules, (rule) => matchesPath(rule, forms))
  if (decision.action === 'deny') return [toFinding(use, path, decision)]
  return forms.inWorkspace ? [] : [notice('ask', `it redirects to or from ${path}, outside`)]
}

/** SHELL-07: words that name what is protected, denied or outside. */
function checkWords(
  analysis: ShellAnalysis,
  directories: readonly string[],
  facts: GateFacts,
): readonly Finding[] {
  const layers = ['read', 'write'].map((tool) => toToolRules(facts, tool))
  const denials = layers.flatMap(denialsOf)
  const commands = analysis.commands.filter(({ standing }) => standing !== 'perhaps')
  const named = namedPathsOf(commands, facts.workspace, directories).flatMap(
    ({ text, forms, isPath }) => {
      if (forms.some((form) => isProtected(form, facts))) return [protectedFinding(text)]
      if (forms.some((form) => isDenied(form, layers, denials)))
        return [notice('ask', `it names ${text}, which rules keep from being read or written`)]
      if (!isPath || forms.every((form) => form.inWorkspace)) return []
      return [notice('ask', `it names ${text}, outside the workspace`)]
    },
  )
  const isLost = directories.length >= maxDirectories
  return isLost ? [...named, notice('ask', 'it changes the directory too often')] : named
}

function isDenied(
  path: PathForms,
  layers: readonly ToolRules[],
  denials: readonly Rule[],
): boolean {
  const matches = (rule: Rule): boolean => matchesPath(rule, path)
  if (!denials.some(matches)) return false
  return layers.some((layer) => evaluate(layer, matches).action === 'deny')
}

function notice(action: 'ask' | 'deny', reason: string): Finding {
  return { check: 'shell', action, reason, isHazard: true }
}

function hazard(reason: string): Finding {
  return notice('ask', reason)
}
