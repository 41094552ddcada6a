import type { Card, Habit, Unanswered } from '../../domain/approval.ts'
import type { ApproverRule } from '../../domain/approvers.ts'
import type { Effect, EffectKind } from '../../domain/effect.ts'
import { english, type Messages } from '../../domain/messages/messages.ts'
import { mayBeWide } from '../../rules/gate/suggest/never-suggested.ts'
import { makeVisible } from '../../rules/gate/visible.ts'
import { mainArgument, runsCommands, type ToolSpec } from '../../rules/tools/tool-spec.ts'
import { isRecord } from '../../util/guards.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import type { Ask } from '../call/ask-again.ts'
import { whoMayAnswer } from '../card/read-card.ts'

/** Facts of an approval beside its call. */
export interface CardFacts {
  readonly messages: Messages
  readonly approvalId: string
  readonly number: number
  readonly requestedBy: string
  /** Name of the place where the call would run, unless it has none of its own. */
  readonly where?: string
  readonly rule: ApproverRule
  readonly expiresAt: Date
  readonly warnings: readonly string[]
  readonly unanswered: Unanswered
  readonly habit?: Habit
  /** APPR-14: the editor's name and the arguments the model gave. */
  readonly edited?: { readonly by: string; readonly from: string }
}

/**
 * APPR-02, APPR-16: shows everything the call will do, with invisible characters made visible; `packCard` handles text that does
 * not fit a message.
 */
export function buildCard(spec: ToolSpec, { call, verdict, args }: Ask, facts: CardFacts): Card {
  return {
    approvalId: facts.approvalId,
    number: facts.number,
    callId: call.id,
    tool: call.tool,
    does: doesText(facts.messages, spec),
    ...(facts.where === undefined ? {} : { where: makeVisible(facts.where) }),
    what: describe(spec, args),
    ...(runsCommands(spec) && { language: 'bash' }),
    ...copyableOf(spec, args),
    effects: [
      ...(facts.edited === undefined ? [] : [{ kind: 'edited' as const, of: facts.edited.by }]),
      ...(verdict.effects ?? verdict.reasons.map(unknownEffect)),
    ].map(visibleEffect),
    reasons: [...changeOf(spec, facts), ...reasonsOf(facts.messages, verdict).map(makeVisible)],
    alwaysPatterns: verdict.alwaysPatterns.map((pattern) => patternText(facts.messages, pattern)),
    ...(isAlwaysHarmless(spec, verdict, args) && { isAlwaysHarmless: true }),
    requestedBy: facts.requestedBy,
    whoMayAnswer: whoMayAnswer(facts.messages, facts.rule, facts.requestedBy),
    risk: verdict.risk,
    expiresAt: facts.expiresAt.toISOString(),
    ...(facts.habit === undefined ? {} : { habit: facts.habit }),
    unanswered: facts.unanswered,
    ...(facts.warnings.length === 0 ? {} : { warning: facts.warnings.join('\n') }),
    status: { kind: 'waiting' },
  }
}

/**
 * CARD-03: whether one tap may allow the only pattern for all later calls: it matches nothing but this call, or reads, builds or
 * tests in every form, and the call reaches no network and runs no code that may change.
 */
function isAlwaysHarmless(
  spec: ToolSpec,
  { alwaysPatterns, effects, unbound = [], programs = [] }: Ask['verdict'],
  args: Readonly<Record<string, unknown>>,
): boolean {
  const [pattern, ...others] = alwaysPatterns
  if (pattern === undefined || others.length > 0) return false
  if (effects?.every(({ kind }) => harmless.has(kind)) !== true) return false
  if (unbound.length > 0 || programs.length > 0) return false
  return isCallItself(spec, args, pattern) || (runsCommands(spec) && mayBeWide(pattern))
}

const harmless: ReadonlySet<EffectKind> = new Set(['reads', 'writes'])

/** Whether the pattern is the call's text, without wildcards; of other tools than commands it must be the only argument. */
function isCallItself(
  spec: ToolSpec,
  args: Readonly<Record<string, unknown>>,
  pattern: string,
): boolean {
  const { argument, text } = headOf(spec, args)
  const isAll = runsCommands(spec) || Object.keys(args).every((name) => name === argument)
  return isAll && text === pattern && !/[*?[\]{}]/.test(pattern)
}

/** CARD-01: a call of a tool in words after “wants to”. */
function doesText({ cards }: Messages, { does, kind, name }: ToolSpec): string {
  const key = does ?? kind
  return key === 'other' ? cards.useTool({ tool: name }) : cards.does[key]
}

/** Why it asks beside its effects; a verdict of an older version has sentences for both. */
function reasonsOf({ cards }: Messages, verdict: Ask['verdict']): readonly string[] {
  if (verdict.asks === undefined) return [...verdict.reasons, ...(verdict.unbound ?? [])]
  return verdict.asks.map(({ why, about, layer = 'worker' }) =>
    why === 'other' ? about : cards.asks[why]({ about, layer }),
  )
}

/** A verdict that was stored before effects existed shows its reasons. */
function unknownEffect(reason: string): Effect {
  return { kind: 'other', of: reason }
}

function visibleEffect({ kind, of }: Effect): Effect {
  return of === undefined ? { kind } : { kind, of: makeVisible(of) }
}

function changeOf(spec: ToolSpec, { edited, messages }: CardFacts): readonly string[] {
  if (edited === undefined) return []
  const before = tryParseJson(edited.from)
  const was = isRecord(before) ? describe(spec, before) : makeVisible(edited.from)
  return [messages.cards.editedBy({ name: edited.by, before: was })]
}

/** Formats a pattern for the card. A bare `*`, which may name a definition, is offered for any arguments. */
export function patternText({ cards }: Messages, pattern: string): string {
  return /^\*(?: @[0-9a-f]+)?$/.test(pattern)
    ? `${pattern} ${cards.anyArguments}`
    : makeVisible(pattern)
}

function describe(spec: ToolSpec, args: Readonly<Record<string, unknown>>): string {
  const { argument, text } = headOf(spec, args)
  const head = text === undefined ? '' : makeVisible(text)
  const title = runsCommands(spec) && text !== undefined ? head : `${spec.name} ${head}`.trimEnd()
  return [title, ...others(args, argument)].join('\n')
}

/** Returns the text of the first line: the command, or the only path. */
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

/** Lists the remaining arguments under their names; text is kept as is, line breaks included. */
function others(args: Readonly<Record<string, unknown>>, shown: string | undefined): string[] {
  return Object.entries(args)
    .filter(([name]) => name !== shown)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return `${makeVisible(name)}: ${makeVisible(text)}`
    })
}

/** CARD-06: a warning of a box in the language of the card; one that other versions of a worker report stays as it is. */
export function warningIn({ cards }: Messages, words: string): string {
  const { unconfined, boxes, namedBoxes } = english.cards
  const fixed = { ...unconfined, ...boxes }
  const own = { ...cards.unconfined, ...cards.boxes }
  const kind = (Object.keys(fixed) as (keyof typeof fixed)[]).find((one) => fixed[one] === words)
  if (kind !== undefined) return own[kind]
  for (const one of Object.keys(namedBoxes) as (keyof typeof namedBoxes)[]) {
    const [before = '', behind = ''] = namedBoxes[one]({ name: '\n' }).split('\n')
    const isNamed = words.length > before.length + behind.length
    if (isNamed && words.startsWith(before) && words.endsWith(behind))
      return cards.namedBoxes[one]({
        name: words.slice(before.length, words.length - behind.length),
      })
  }
  return words
}
