import type { Card } from '../../domain/approval.ts'
import type { ApproverRule } from '../../domain/approvers.ts'
import { makeVisible } from '../../rules/gate/visible.ts'
import { mainArgument, runsCommands } from '../../rules/tools/ruled-argument.ts'
import type { ToolSpec } from '../../rules/tools/tool-spec.ts'
import { isRecord } from '../../util/is-record.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import type { Ask } from '../call/ask-again.ts'
import { whoMayAnswer } from '../card/who-may-answer.ts'

export interface CardFacts {
  readonly approvalId: string
  readonly number: number
  readonly requestedBy: string
  readonly rule: ApproverRule
  readonly expiresAt: Date
  readonly warnings: readonly string[]
  /** APPR-14: who changed it, and the arguments that the model gave. */
  readonly edited?: { readonly by: string; readonly from: string }
}

/** APPR-02, APPR-16: the whole of what will happen, nothing invisible; `packCard` sees to what a message has no room for. */
export function buildCard(spec: ToolSpec, { call, verdict, args }: Ask, facts: CardFacts): Card {
  return {
    approvalId: facts.approvalId,
    number: facts.number,
    callId: call.id,
    tool: call.tool,
    what: describe(spec, args),
    ...(runsCommands(spec) && { language: 'bash' }),
    ...copyableOf(spec, args),
    reasons: [
      ...changeOf(spec, facts),
      ...[...verdict.reasons, ...(verdict.unbound ?? [])].map(makeVisible),
    ],
    alwaysPatterns: verdict.alwaysPatterns.map(patternWords),
    requestedBy: facts.requestedBy,
    whoMayAnswer: whoMayAnswer(facts.rule, facts.requestedBy),
    risk: verdict.risk,
    expiresAt: facts.expiresAt.toISOString(),
    ...(facts.warnings.length === 0 ? {} : { warning: facts.warnings.join('\n') }),
    status: { kind: 'waiting' },
  }
}

function changeOf(spec: ToolSpec, { edited }: CardFacts): readonly string[] {
  if (edited === undefined) return []
  const before = tryParseJson(edited.from)
  const was = isRecord(before) ? describe(spec, before) : makeVisible(edited.from)
  return [`${edited.by} changed it; the model asked for: ${was}`]
}

/** A bare `*` is offered for what has no value of its own. */
function patternWords(pattern: string): string {
  return pattern === '*' ? '* (any arguments)' : makeVisible(pattern)
}

function describe(spec: ToolSpec, args: Readonly<Record<string, unknown>>): string {
  const { argument, text } = headOf(spec, args)
  const head = text === undefined ? '' : makeVisible(text)
  const title = runsCommands(spec) && text !== undefined ? head : `${spec.name} ${head}`.trimEnd()
  return [title, ...others(args, argument)].join('\n')
}

/** What stands in the first line: the command, or the only path. */
function headOf(spec: ToolSpec, args: Readonly<Record<string, unknown>>) {
  const { paths = [] } = spec
  const named = paths.length === 1 ? paths[0]?.argument : undefined
  const argument = runsCommands(spec) ? mainArgument(spec) : named
  const text = argument === undefined ? undefined : args[argument]
  return typeof text === 'string' ? { argument, text } : {}
}

function copyableOf(
  spec: ToolSpec,
  args: Readonly<Record<string, unknown>>,
): Pick<Card, 'copyable'> {
  const kind = runsCommands(spec) ? 'command' : 'path'
  const { text } = headOf(spec, args)
  if (text === undefined || text.trim() === '') return {}
  return text.includes('\n') || makeVisible(text) !== text ? {} : { copyable: { kind, text } }
}

/** Every further argument, each under its name; text stands as it is, line breaks included. */
function others(args: Readonly<Record<string, unknown>>, shown: string | undefined): string[] {
  return Object.entries(args)
    .filter(([name]) => name !== shown)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return `${makeVisible(name)}: ${makeVisible(text)}`
    })
}
