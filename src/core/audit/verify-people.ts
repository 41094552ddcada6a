import {
  type AuditPerson,
  findAuditPeople,
  findForgotten,
  findUnknownAliases,
} from '../../db/audit/audit-people.ts'
import { mayRead } from '../../db/audit/decided-calls.ts'
import type { Db } from '../../db/schema.ts'
import { aliasOf } from './person-alias.ts'
import type { BrokenLink } from './signed-text.ts'

const window = 1000

/**
 * Holds the pseudonyms of the audit against the people that they stand for: one that was given to somebody else, and one
 * that was deleted without a record of it. Nothing where this role may not read them.
 */
export async function verifyPeople(db: Db): Promise<readonly BrokenLink[]> {
  if (!(await mayRead(db, 'audit_person'))) return []
  const broken: BrokenLink[] = []
  let last = ''
  for (;;) {
    const page = await findAuditPeople(db, last, window)
    broken.push(...page.filter(isForged).map(({ alias }) => finding(alias, stolen)))
    last = page.at(-1)?.caller_id ?? last
    if (page.length < window) break
  }
  const unknown = await findUnknownAliases(db)
  if (unknown.length === 0) return broken
  const forgotten = await findForgotten(db)
  const lost = unknown.filter((alias) => !forgotten.has(alias))
  return [...broken, ...lost.map((alias) => finding(alias, deleted))]
}

function isForged({ caller_id, alias, key }: AuditPerson): boolean {
  return aliasOf(caller_id, key) !== alias
}

const stolen = 'this pseudonym was given to somebody else'
const deleted =
  'it is not known whose pseudonym this is, and no record says that they were forgotten'

function finding(alias: string, why: string): BrokenLink {
  return { chain: alias, seq: 0, why }
}
