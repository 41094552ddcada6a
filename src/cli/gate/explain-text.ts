import type { Action } from '../../domain/verdict.ts'
import type { ExplainedDecision, MatchedRule } from '../../rules/gate/explain/explain.ts'
import type { Redirection, SubCommand } from '../../rules/gate/shell/analysis.ts'
import { plainText } from '../print.ts'
import type { ExplainedCall } from './explain-call.ts'

/** Formats an action word for display. */
export type Paint = (action: Action, text: string) => string

const meanings: Readonly<Record<Action, string>> = {
  allow: 'it would run, and nobody is asked',
  ask: 'a person would be asked first',
  deny: 'it would be refused, and nobody is asked',
}

/** APPR-12: formats an explanation for people: the outcome first, then its reasons. */
export function explainText(call: ExplainedCall, paint: Paint): string {
  const { verdict, analysis } = call
  const sections = [
    [`${paint(verdict.action, verdict.action)}: ${meanings[verdict.action]}`, ...because(call)],
    ['The call', ...callLines(call)],
    ...(analysis === undefined ? [] : commandSections(call, paint)),
    decisionSection(call, paint),
    ['Every check that spoke', ...traceLines(call, paint)],
    ['Always would add', ...alwaysLines(call)],
    ...(call.unseen.length === 0 ? [] : [['Not seen here', ...call.unseen.map(item)]]),
  ]
  const shown = sections.filter(({ length }) => length > 1)
  return `${shown.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

function because({ verdict }: ExplainedCall): readonly string[] {
  const reasons = verdict.reasons.map((reason) => item(`because ${reason}`))
  return [...reasons, item(`risk: ${verdict.risk}`)]
}

function callLines({ tool, arguments: args, worker, workspace }: ExplainedCall): readonly string[] {
  const fields = Object.entries(args).map(([name, value]) => {
    return item(`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  })
  return [item(`tool: ${tool}`), ...fields, item(`worker: ${worker}, in ${workspace}`)]
}

const standings: Readonly<Record<SubCommand['standing'], string>> = {
  plain: 'stands in the text',
  wrapped: 'run by another command: only what denies it counts',
  perhaps: 'perhaps run by a program that nobody knows: what denies it asks',
}

const mostPerhaps = 5

function commandSections(call: ExplainedCall, paint: Paint): readonly (readonly string[])[] {
  const { commands = [], redirections = [], hazards = [] } = call.analysis ?? {}
  const perhaps = commands.filter(({ standing }) => standing === 'perhaps')
  const shown = commands.filter((command) => !perhaps.slice(mostPerhaps).includes(command))
  const more = perhaps.length - mostPerhaps
  return [
    [
      'The commands in it',
      ...shown.flatMap((command, index) => commandLines(command, index, call, paint)),
      ...(more > 0 ? [item(`and ${more} more that may be run by a program nobody knows`)] : []),
    ],
    ['Its redirections', ...redirections.map(redirectionLine)],
    ['Unresolvable parts (no rule can allow these)', ...hazards.map(item)],
  ]
}

function commandLines(
  command: SubCommand,
  index: number,
  { decisions }: ExplainedCall,
  paint: Paint,
): readonly string[] {
  const text = command.words.join(' ')
  const source = command.source === text ? [] : [`     as it stands: ${plainText(command.source)}`]
  const found = decisions.filter(({ tool, about }) => tool === 'bash' && about === text)
  const isInner = found.length === 0 && command.standing !== 'plain'
  return [
    `  ${index + 1}. ${plainText(text)}`,
    `     words: ${command.words.map((word) => plainText(JSON.stringify(word))).join(' ')}`,
    ...source,
    `     ${standings[command.standing]}`,
    ...command.hazards.map((hazard) => `     hazard: ${plainText(hazard)}`),
    ...(command.form === undefined
      ? []
      : [`     a rule must begin with: ${plainText(command.form)}`]),
    ...(isInner ? ['     no rule denies it'] : []),
    ...found.flatMap((decision) => decisionLines(decision, paint, '     ')),
  ]
}

function redirectionLine({ use, path }: Redirection): string {
  return item(`${use === 'write' ? 'writes to' : 'reads from'} ${path ?? 'what cannot be known'}`)
}

/** Lists rule decisions that were not already shown with a command. */
function decisionSection(call: ExplainedCall, paint: Paint): readonly string[] {
  const texts = new Set(call.analysis?.commands.map(({ words }) => words.join(' ')))
  const rest = call.decisions.filter(({ tool, about }) => tool !== 'bash' || !texts.has(about))
  return ['What the rules say', ...rest.flatMap((one) => decisionLines(one, paint, '  '))]
}

function decisionLines(decision: ExplainedDecision, paint: Paint, indent: string): string[] {
  const { tool, about, action, why, matched } = decision
  const subject = about === '' ? tool : `${tool} ${JSON.stringify(about)}`
  return [
    `${indent}${plainText(subject)} → ${paint(action, action)}: ${plainText(why)}`,
    ...matched.map((rule) => `${indent}  ${ruleLine(rule)}`),
    ...(matched.length === 0 ? [`${indent}  no rule of any layer matches it`] : []),
  ]
}

function ruleLine({ rule, won, grant }: MatchedRule): string {
  return `${won ? '▸' : '·'} ${plainText(rule)}${grant ? ' (granted)' : ''}${won ? '  ← decides' : ''}`
}

function traceLines({ verdict }: ExplainedCall, paint: Paint): readonly string[] {
  return verdict.trace.map(({ check, action, reason, rule }) => {
    const by = rule === undefined ? '' : ` [${rule}]`
    return `  ${paint(action, action.padEnd(5))} ${plainText(`${check}: ${reason}${by}`)}`
  })
}

function alwaysLines({ verdict, tool }: ExplainedCall): readonly string[] {
  const rules = verdict.alwaysPatterns.map((pattern) => `${tool} ${JSON.stringify(pattern)} allow`)
  return rules.length === 0 ? [item('nothing: no rule may be offered for it')] : rules.map(item)
}

function item(text: string): string {
  return `  ${plainText(text)}`
}
