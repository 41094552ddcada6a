import type { Config } from '../../config/config.ts'
import { highestRole } from '../../core/people/people.ts'
import { findReach } from '../../db/outbox/reach.ts'
import { readPeople } from '../../db/people/caller-links.ts'
import type { Db } from '../../db/schema.ts'
import { isAtLeast, may, platformOf, type Role } from '../../domain/caller.ts'
import { platformFacts } from '../../domain/chat-platforms.ts'
import type { Risk } from '../../domain/verdict.ts'
import { findConfiguredRoles, findPeople } from '../list-people.ts'
import { peopleOf } from '../people-of.ts'

/** Returns warnings for the operator about approvals that nobody can give or be asked for. */
export async function approvalWarnings(db: Db, config: Config): Promise<readonly string[]> {
  const people = await findApprovers(db, config)
  const channel = channelWarnings(config)
  return [...tierWarnings(config, people), ...channel, ...(await escalationWarnings(db, config))]
}

/** Returns the role of everybody who may answer approvals of others, one for each person. */
async function findApprovers(db: Db, config: Config): Promise<readonly Role[]> {
  const listed = await findPeople(db, await findConfiguredRoles(db, peopleOf(config)))
  const personOf = await readPeople(db)
  const local = (await findReach(db)).filter(({ id }) => platformFacts(platformOf(id)).isLocal)
  const roles = new Map<string, Role>(local.map(({ id }) => [personOf(id), 'operator']))
  for (const { id, role } of listed) {
    const person = personOf(id)
    roles.set(person, highestRole(roles.get(person), role) ?? role)
  }
  return [...roles.values()].filter((role) => may({ role }, 'decide_for_others'))
}

/** Merges risk tiers with the same warning into one line. */
function tierWarnings(config: Config, approvers: readonly Role[]): readonly string[] {
  const risks = (['low', 'medium', 'high'] as const).map((risk) => ({
    risk,
    words: tooFew(config, risk, approvers),
  }))
  return [...Map.groupBy(risks, ({ words }) => words)].flatMap(([words, those]) =>
    words === undefined
      ? []
      : [`[approval] of ${those.map(({ risk }) => risk).join(', ')} risk ${words}`],
  )
}

/** Describes a tier with too few approvers; such calls are refused without asking (ERR-07). */
function tooFew({ approval }: Config, risk: Risk, approvers: readonly Role[]): string | undefined {
  const { allowSelf, roles, people, quorum } = approval
  const leastRole = roles[risk]
  const asksItself = leastRole === 'user' && allowSelf ? 1 : 0
  const known = approvers.filter((role) => isAtLeast(role, leastRole)).length + asksItself
  const most = Math.max(people[risk], ...quorum.map((rule) => rule.people))
  const who = isAtLeast(leastRole, 'operator') ? 'operator' : 'approver'
  const rest = `such calls are refused until there is another ${who}.`
  if (known < most)
    return `a call may need ${countOf(most)}, and ${known} could approve it: ${rest}`
  if (allowSelf || known > most) return undefined
  return `an ${who}’s own call may need ${countOf(most)} more, and there are ${known - 1}: ${rest}`
}

function countOf(people: number): string {
  return people === 1 ? 'one person' : `${people} people`
}

function channelWarnings({ approval }: Config): readonly string[] {
  const { route, channel = '' } = approval
  if (route !== 'channel' || /^(?:telegram|slack|console):./.test(channel)) return []
  return [
    `[approval] channel ${JSON.stringify(channel)} is no conversation, such as "telegram:-100123": cards go where they were asked.`,
  ]
}

async function escalationWarnings(db: Db, { approval }: Config): Promise<readonly string[]> {
  const { escalateTo } = approval
  if (escalateTo.length === 0) return []
  const reach = new Map((await findReach(db, escalateTo)).map((person) => [person.id, person]))
  return escalateTo
    .filter((id) => (reach.get(id)?.conversationId ?? null) === null)
    .map(
      (id) =>
        `[approval] escalate_to names ${JSON.stringify(id)}, who has not written to us in private: they are passed over until then.`,
    )
}
