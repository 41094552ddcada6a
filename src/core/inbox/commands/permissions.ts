import { findLiveGrants } from '../../../db/approval/grants.ts'
import { may } from '../../../domain/caller.ts'
import { allowsEverything } from '../../../rules/gate/permissions/allows-everything.ts'
import { defaultPermissions } from '../../../rules/gate/permissions/default-permissions.ts'
import { readPermissions } from '../../../rules/gate/permissions/read-permissions.ts'
import type { Rule, WorkerRules } from '../../../rules/gate/permissions/rule.ts'
import { makeVisible } from '../../../rules/gate/visible.ts'
import { beginningOf } from '../../../util/text/shorten.ts'
import { type CommandTransaction, replyPrivately } from './command.ts'

/** Maximum UTF-16 units, a few chat messages. */
const maxShown = 20_000

/**
 * CHAT-03: shows what runs without approval, in private (THREAT-6). Everybody sees the layers and whether the gate is on; only
 * approvers and operators see the text of the worker's rules, which names protected paths and grants.
 */
export async function permissions(tx: CommandTransaction): Promise<void> {
  const { ctx, db, session, caller } = tx
  const { operator, read } = ctx.rules ?? { operator: { rules: [] } }
  const text =
    read === undefined ? undefined : ((await read(db, session.worker)) ?? defaultPermissions)
  const worker = text === undefined ? undefined : readPermissions(text, { home: '/workspace' })
  const grants = await findLiveGrants(db, session.id, { callerId: caller.id })
  const lines = [
    explanation,
    '',
    `Operator: ${countOf(operator.rules)}; what they deny is final.`,
    `Worker ${session.worker}: ${worker === undefined ? elsewhere : describeWorker(worker)}`,
    `Granted to you in this session: ${grants.length}; /grants lists them.`,
    ...(worker === undefined ? [] : warningsOf(worker)),
  ]
  const maySee = may(caller, 'see_rules')
  if (!maySee) lines.push('', 'Approvers and operators see the rules themselves.')
  const quoted = maySee ? shownText(text ?? '') : ''
  await replyPrivately(tx, { text: lines.join('\n'), quoted })
}

const explanation =
  'Every tool call is judged by rules: it runs, it asks, or it is refused. The last rule that matches counts; what no rule matches asks.'

const elsewhere =
  'a file that only its agents have; countersign permissions show prints it on their machine.'

function describeWorker(worker: WorkerRules): string {
  return worker.kind === 'rules' ? `${countOf(worker.rules)}.` : 'rules that are damaged.'
}

function countOf(rules: readonly Rule[]): string {
  const count = (action: Rule['action']) => rules.filter((rule) => rule.action === action).length
  const words = rules.length === 1 ? '1 rule' : `${rules.length} rules`
  return `${words} (${count('allow')} allow, ${count('ask')} ask, ${count('deny')} deny)`
}

/** GATE-09, GATE-10, APPR-21: returns warnings in plain words, on every call of the command. */
function warningsOf(worker: WorkerRules): readonly string[] {
  if (allowsEverything(worker)) {
    return ['Warning: the gate is switched off: these rules allow everything, and nothing asks.']
  }
  if (worker.kind === 'damaged') {
    const [first] = worker.problems
    return [`Warning: line ${first?.line ?? 0} is wrong, and until it is mended every call asks.`]
  }
  const [first] = worker.failed ?? []
  if (first === undefined) return []
  return [
    `Warning: the example in line ${first.line} does not hold, and until it does all that is not denied asks.`,
  ]
}

/** Cuts the text only with a note. */
function shownText(text: string): string {
  if (text.length <= maxShown) return makeVisible(text)
  const left = text.length - maxShown
  return `${makeVisible(beginningOf(text, maxShown))}\n… and ${left} more characters: countersign permissions show prints them all`
}
