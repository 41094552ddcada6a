import {
  ensureFileGrant,
  type FileGrantRow,
  findFileGrant,
  findRulesOrders,
  type RulesOrderRow,
  takeRulesOrder,
} from '../../db/approval/file-grants.ts'
import type { Db } from '../../db/schema.ts'
import { getSession } from '../../db/turn/sessions.ts'
import { listGrants, removeGrant } from '../../rules/gate/permissions/remove-grant.ts'
import { record } from '../audit/record.ts'
import type { CallContext } from '../call/gate/call-context.ts'
import { post } from '../outbox/post.ts'
import { attempt } from '../retry.ts'
import { transact } from '../transaction.ts'
import { changeRules } from './change-rules.ts'
import { type GrantList, listFileGrants } from './list-grants.ts'

/**
 * APPR-15: lists what *Always* wrote into workers' rules, or takes it out, as people asked. The agent's side owns those
 * rules (INT-35); what a crash cuts short is done again, and answered once.
 */
export async function carryOutOrders(ctx: CallContext): Promise<void> {
  for (const order of await findRulesOrders(ctx.db)) {
    await attempt(ctx, 'list rules', () => carryOut(ctx, order))
  }
}

async function carryOut(ctx: CallContext, order: RulesOrderRow): Promise<void> {
  const { file_grant_id: id } = order
  if (id === null) return list(ctx, order)
  const rule = await findFileGrant(ctx.db, { id })
  if (rule === undefined) throw new Error('the rule of an order is gone')
  const left = await changeRules(ctx, rule.worker, (text) =>
    removeGrant(text, rule.tool, rule.pattern),
  )
  await answer(ctx, order, async (db) => {
    if (isDamaged(ctx, left)) return { text: damaged(rule.worker) }
    await recordRemoval(ctx, db, order, rule)
    const { number, tool, worker } = rule
    const text = `Rule w${number} (${tool}) of the worker ${worker} is taken out; the like of it asks again.`
    return { text }
  })
}

async function list(ctx: CallContext, order: RulesOrderRow): Promise<void> {
  const { worker } = await getSession(ctx.db, order.session_id)
  const { text } = await ctx.permissions.load(worker)
  await answer(ctx, order, async (db) => {
    if (isDamaged(ctx, text)) return { text: damaged(worker) }
    const rules: { row: FileGrantRow; note: string }[] = []
    // One that was granted over other questions too stands there more than once.
    const grants = new Map(listGrants(text).map((one) => [`${one.tool} ${one.pattern}`, one]))
    for (const { tool, pattern, note } of grants.values()) {
      rules.push({ row: await ensureFileGrant(db, { worker, tool, pattern }), note })
    }
    return listFileGrants(worker, rules)
  })
}

/** GATE-09: then nothing in them counts, and nothing is taken out of them. */
function isDamaged(ctx: CallContext, text: string): boolean {
  return ctx.parseRules(text, '/').kind === 'damaged'
}

function damaged(worker: string): string {
  return `The rules of the worker ${worker} are damaged, so that everything asks. What “Always” wrote into them can be listed and taken out when they are mended.`
}

async function answer(
  ctx: CallContext,
  order: RulesOrderRow,
  words: (db: Db) => Promise<GrantList>,
): Promise<void> {
  await transact(ctx, async (tx) => {
    if (!(await takeRulesOrder(tx.db, order.id))) return
    const notice = { kind: 'notice', ...(await words(tx.db)) } as const
    await post(tx, order.conversation_id, notice, { to: order.caller_id })
  })
}

async function recordRemoval(
  ctx: CallContext,
  db: Db,
  order: RulesOrderRow,
  { tool, worker, pattern }: FileGrantRow,
): Promise<void> {
  await record(db, {
    kind: 'command',
    chain: order.session_id,
    session_id: order.session_id,
    tool,
    worker,
    caller_id: order.caller_id,
    note: ctx.redact(`taken out of the worker’s rules: ${pattern}`),
  })
}
