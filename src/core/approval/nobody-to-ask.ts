import { findReach } from '../../db/outbox/reach.ts'
import { readPeople } from '../../db/people/caller-links.ts'
import { findAllPins } from '../../db/people/username-pins.ts'
import type { Db } from '../../db/schema.ts'
import type { ApproverRule } from '../../domain/approvers.ts'
import { isAtLeast } from '../../domain/caller.ts'
import { may } from '../../domain/rights.ts'
import type { ToolError } from '../../domain/tool/tool-error.ts'
import { mayApprove } from '../../rules/gate/approver-rule.ts'
import { whoMayAnswer } from '../card/who-may-answer.ts'
import type { CoreContext } from '../context.ts'
import { findAnswerer } from '../people/find-answerer.ts'
import { listedPeople } from '../people/role-lists.ts'

/**
 * ERR-07: why a call of `callerId` that must ask cannot: there are not as many people as must approve it. undefined: there
 * are. Whoever the configuration names counts also before they have come, since they may.
 */
export async function nobodyToAsk(
  ctx: CoreContext,
  db: Db,
  callerId: string,
  rule: ApproverRule,
): Promise<ToolError | undefined> {
  const asksItself = rule.leastRole === 'user' && rule.allowSelf
  if (asksItself && rule.people === 1) return undefined
  const people = await findApprovers(ctx, db, callerId, rule)
  if (people.size >= rule.people) return undefined
  const who = whoMayAnswer(rule, 'the person')
  const message = `a call like this must be approved by ${who}; ${countOf(people.size)} could`
  return { category: 'confirmation_required', message }
}

/** Those who could approve it, by person. */
async function findApprovers(
  ctx: CoreContext,
  db: Db,
  callerId: string,
  rule: ApproverRule,
): Promise<ReadonlySet<string>> {
  const { escalateTo } = ctx.settings.routing
  const asked = new Set(escalateTo)
  const personOf = await readPeople(db)
  const asker = personOf(callerId)
  const people = new Set<string>()
  for (const { id } of await findReach(db, [callerId, ...escalateTo])) {
    const caller = await findAnswerer(ctx, db, id)
    if (caller === undefined) continue
    const person = personOf(id)
    const approver = { ...caller, isSelf: person === asker, isAsked: asked.has(id) }
    if (mayApprove(approver, rule)) people.add(person)
  }
  const expected = (await findExpected(ctx, db, rule)).map(personOf)
  for (const person of expected) if (person !== asker) people.add(person)
  return people
}

/** Accounts that the configuration lets approve such calls; a username that nobody has come with stands for itself. */
async function findExpected(
  ctx: CoreContext,
  db: Db,
  rule: ApproverRule,
): Promise<readonly string[]> {
  const expected: string[] = []
  for (const [platform, lists] of Object.entries(ctx.people)) {
    const approving = listedPeople(platform, lists).filter(
      ({ role }) => may({ role }, 'decide_for_others') && isAtLeast(role, rule.leastRole),
    )
    if (approving.length === 0) continue
    const pins = new Map((await findAllPins(db, platform)).map((pin) => [pin.username, pin]))
    for (const { person } of approving) {
      if (person.kind === 'id') expected.push(person.callerId)
      else expected.push(pins.get(person.username)?.caller_id ?? `@${person.username}`)
    }
  }
  return expected
}

function countOf(people: number): string {
  return people === 0 ? 'nobody' : `only ${people === 1 ? 'one person' : `${people} people`}`
}
