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
import { attempt, post, transact } from '../transaction.ts'
import { type GrantList, listFileGrants } from './grants.ts'

const saveTries = 10

/**
 * APPR-15: lists or removes rules that *Always* wrote into workers' rules, as people requested. The agent owns those rules
 * (INT-35). Work interrupted by a crash is repeated and answered once.
 */
export async function runRulesOrders(ctx: CallContext): Promise<void> {
  for (const order of await findRulesOrders(ctx.db)) {
    await attempt(ctx, 'list rules', () => carryOut(ctx, order))
  }
}

async function carryOut(ctx: CallContext, order: RulesOrderRow): Promise<void> {
  const { grants } = ctx.messages
  const { file_grant_id: id } = order
  if (id === null) return list(ctx, order)
  const rule = await findFileGrant(ctx.db, { id })
  if (rule === undefined) throw new Error('the rule of a pending removal was deleted')
  const left = await changeRules(ctx, rule.worker, (text) =>
    removeGrant(text, rule.tool, rule.pattern),
  )
  await answer(ctx, order, async (db) => {
    if (isDamaged(ctx, left)) return { text: grants.rulesDamaged({ worker: rule.worker }) }
    await recordRemoval(ctx, db, order, rule)
    return { text: grants.ruleRemoved(rule) }
  })
}

async function list(ctx: CallContext, order: RulesOrderRow): Promise<void> {
  const { worker } = await getSession(ctx.db, order.session_id)
  const { text } = await ctx.permissions.load(worker)
  await answer(ctx, order, async (db) => {
    if (isDamaged(ctx, text)) return { text: ctx.messages.grants.rulesDamaged({ worker }) }
    const rules: { row: FileGrantRow; note: string }[] = []
    // A pattern granted again over other ask rules has several entries there.
    const grants = new Map(listGrants(text).map((one) => [`${one.tool} ${one.pattern}`, one]))
    for (const { tool, pattern, note } of grants.values()) {
      rules.push({ row: await ensureFileGrant(db, { worker, tool, pattern }), note })
    }
    return listFileGrants(ctx.messages, worker, rules)
  })
}

/** GATE-09: damaged rules have no effect and are not changed. */
function isDamaged(ctx: CallContext, text: string): boolean {
  return ctx.parseRules(text, '/').kind === 'damaged'
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

/** Changes a worker's rules, re-reading on a version conflict (INT-35). Returns the resulting text. Throws after 10 conflicts. */
export async function changeRules(
  ctx: CallContext,
  worker: string,
  change: (text: string) => string,
): Promise<string> {
  for (let attempt = 0; attempt < saveTries; attempt += 1) {
    const { text, version } = await ctx.permissions.load(worker)
    const changed = change(text)
    if (changed === text || (await ctx.permissions.save(worker, version, changed))) {
      return changed
    }
  }
  throw new Error(`failed to save the rules of worker "${worker}": too many concurrent changes`)
}
