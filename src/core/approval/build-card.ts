import type { Card } from '../../domain/approval.ts'
import type { ApproverRule } from '../../domain/approvers.ts'
import { makeVisible } from '../../rules/gate/visible.ts'
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
export function buildCard({ call, verdict, args }: Ask, facts: CardFacts): Card {
  return {
    approvalId: facts.approvalId,
    number: facts.number,
    callId: call.id,
    tool: call.tool,
    what: describe(call.tool, args),
    ...copyableOf(call.tool, args),
    reasons: [
      ...changeOf(call.tool, facts),
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

function changeOf(tool: string, { edited }: CardFacts): readonly string[] {
  if (edited === undefined) return []
  const before = tryParseJson(edited.from)
  const was = isRecord(before) ? describe(tool, before) : makeVisible(edited.from)
  return [`${edited.by} changed it; the model asked for: ${was}`]
}

/** A bare `*` is offered for what has no value of its own. */
function patternWords(pattern: string): string {
  return pattern === '*' ? '* (any arguments)' : makeVisible(pattern)
}

function describe(tool: string, args: Readonly<Record<string, unknown>>): string {
  const { command, path } = args
  if (tool === 'bash' && typeof command === 'string') {
    return [makeVisible(command), ...others(args, ['command'])].join('\n')
  }
  if (typeof path === 'string') {
    return [`${tool} ${makeVisible(path)}`, ...others(args, ['path'])].join('\n')
  }
  return [tool, ...others(args, [])].join('\n')
}

function copyableOf(
  tool: string,
  { command, path }: Readonly<Record<string, unknown>>,
): Pick<Card, 'copyable'> {
  const kind = tool === 'bash' ? 'command' : 'path'
  const text = tool === 'bash' ? command : path
  if (typeof text !== 'string' || text.trim() === '') return {}
  return text.includes('\n') || makeVisible(text) !== text ? {} : { copyable: { kind, text } }
}

/** Every further argument, each under its name; text stands as it is, line breaks included. */
function others(args: Readonly<Record<string, unknown>>, shown: readonly string[]): string[] {
  return Object.entries(args)
    .filter(([name]) => !shown.includes(name))
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return `${makeVisible(name)}: ${makeVisible(text)}`
    })
}
