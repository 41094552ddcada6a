import type { Action, TraceEntry, Verdict } from '../../../domain/verdict.ts'
import { isRecord } from '../../../util/guards.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'
import { parseArguments } from '../../tools/parse-arguments.ts'
import type { FindTool } from '../../tools/presumed-tool.ts'
import { findTool } from '../../tools/registry.ts'
import { strictest } from '../checks/finding.ts'
import { evaluateCall, type GateFacts } from '../gate.ts'
import { type Grant, splitBeats } from '../permissions/rule.ts'
import { dependsOnContext } from '../policy/decide-policy.ts'
import type { PastCall } from './past-call.ts'

/** The verdict of other rules on a past call; `uncertain`: the recorded data is not sufficient. */
export type Reevaluation =
  | { readonly kind: 'uncertain'; readonly why: string }
  | {
      readonly kind: 'judged'
      readonly before: Action
      readonly after: Action
      /** The rule that decides now, or a reason in words. */
      readonly by: string
      /** The verdict by these facts, without the recorded results of other checks. */
      readonly verdict: Verdict | undefined
    }

/** Checks that depend on rules, paths and the text only; other recorded findings are kept. */
const ofRules: ReadonlySet<string> = new Set([
  ...['policy', 'permissions', 'shell', 'paths', 'protected', 'url', 'gate'],
])

/**
 * APPR-12: evaluates a past call by these facts. Grants of its caller at that time still apply, as do recorded findings that no
 * rule decides, such as a quota. Never throws.
 */
export function reevaluate(
  call: PastCall,
  facts: GateFacts,
  find: FindTool = findTool,
): Reevaluation {
  const others = call.trace.filter(({ check }) => !ofRules.has(check))
  const given = argumentsOf(call, find)
  if (given.kind === 'unknown') {
    // A call with invalid arguments was refused for that; rules do not change it.
    const isWrong = call.verdict === 'deny' && strictest(others) === 'deny'
    return isWrong ? unchanged(call, others) : { kind: 'uncertain', why: given.why }
  }
  if (facts.policy !== undefined && dependsOnContext(facts.policy, given.spec)) {
    return { kind: 'uncertain', why: 'the policy asks for trust or variables of that time' }
  }
  const grants = [...facts.grants, ...grantsIn(call.trace)]
  const { canonical } = call
  const verdict = evaluateCall(
    { spec: given.spec, args: given.args, ...(canonical === undefined ? {} : { canonical }) },
    grants.length === 0 ? facts : { ...facts, grants },
  )
  const after = strictest([verdict, ...others])
  const by = decider([...verdict.trace, ...others], after)
  return { kind: 'judged', before: call.verdict, after, by, verdict }
}

function unchanged(call: PastCall, others: readonly TraceEntry[]): Reevaluation {
  const { verdict } = call
  const by = decider(others, verdict)
  return { kind: 'judged', before: verdict, after: verdict, by, verdict: undefined }
}

/** Marks of redacted and truncated text. */
const incomplete = /\[redacted(?::[a-z0-9-]+)?\]|\[not a URL\]/

function argumentsOf({ tool, arguments: text }: PastCall, find: FindTool) {
  const unknown = (why: string) => ({ kind: 'unknown', why }) as const
  if (text === undefined) return unknown('its arguments were not recorded')
  if (incomplete.test(text)) return unknown('secrets were taken out of its arguments')
  const spec = find(tool)
  if (spec === undefined) return unknown('there is no such tool here')
  if (!isRecord(tryParseJson(text))) return unknown('its arguments were cut, or are no JSON')
  const parsed = parseArguments(spec, text)
  if (parsed.kind === 'error') return unknown('its arguments do not fit the tool')
  const url = parsed.args['url']
  if (typeof url === 'string' && url.endsWith('…')) return unknown('its address was cut')
  return { kind: 'known', spec, args: parsed.args } as const
}

/** The session grants that applied then, from the rules named in the trace, with the questions that they override. */
function grantsIn(trace: readonly TraceEntry[]): readonly Grant[] {
  return trace.flatMap(({ rule = '' }) => {
    const [, tool, quoted = '', over = ''] = sessionRule.exec(rule) ?? []
    const pattern = tryParseJson(quoted)
    if (tool === undefined || typeof pattern !== 'string') return []
    return [{ tool, pattern, beats: splitBeats(over).beats ?? null }]
  })
}

const sessionRule = /^session: (\S+) (".*?") allow( over \[.*\])?$/s

function decider(trace: readonly TraceEntry[], action: Action): string {
  const agreed = trace.filter((entry) => entry.action === action)
  const found = agreed.find(({ rule }) => rule !== undefined) ?? agreed[0]
  return found?.rule ?? found?.reason ?? 'nothing speaks against it'
}
