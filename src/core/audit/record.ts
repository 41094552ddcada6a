import { appendAudit, lockHead } from '../../db/audit/audit-log.ts'
import { insertAuditPeople } from '../../db/audit/audit-people.ts'
import { findCallersAmong } from '../../db/people/callers.ts'
import type { Db } from '../../db/schema.ts'
import type { AuditEvent } from '../../domain/audit-event.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import { createDigestKey } from '../../util/keyed-digest.ts'
import { toStorable } from '../../util/text/storable.ts'
import { auditColumns } from './audit-columns.ts'
import { concealPeople, namesIn, peopleOf } from './conceal-people.ts'
import { linkHash } from './link-hash.ts'
import { networkHosts } from './network-hosts.ts'
import { aliasOf } from './person-alias.ts'

/** Adds a row at the end of its chain (AUD-02). In the caller's transaction: what is not recorded does not happen. */
export async function record(db: Db, event: AuditEvent): Promise<void> {
  const names = namesIn(event)
  const head = await lockHead(db, event.chain, [...peopleOf(event), ...names])
  const { at } = head
  const unknown = names.filter((name) => !Object.hasOwn(head.aliases, name))
  const people = [...peopleOf(event), ...(await findCallersAmong(db, unknown))]
  const concealed = concealPeople(event, await aliasesFor(db, people, head.aliases))
  const fields = { ...concealed, ...reached(event), at: at.toISOString() }
  const body = canonicalJson(storable(fields))
  const seq = head.seq + 1
  await appendAudit(db, {
    chain: event.chain,
    seq,
    previous_hash: head.hash,
    hash: linkHash(head.hash, event.chain, seq, body),
    at,
    kind: event.kind,
    ...auditColumns(fields),
    body,
  })
}

/** The pseudonym of each; made for those who come for the first time. */
async function aliasesFor(
  db: Db,
  people: readonly string[],
  known: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, string>> {
  const aliases = new Map(Object.entries(known))
  const strangers = [...new Set(people)].filter((id) => !aliases.has(id))
  if (strangers.length === 0) return aliases
  const made = strangers.map((callerId) => {
    const key = createDigestKey()
    return { caller_id: callerId, alias: aliasOf(callerId, key), key }
  })
  return new Map([...aliases, ...(await insertAuditPeople(db, made))])
}

/** What is answered from what is remembered reaches nothing (OUT-11). */
function reached({ kind, tool, arguments: args, cached }: AuditEvent): { hosts?: string[] } {
  if (kind !== 'decided' || cached === true || tool === undefined || args === undefined) return {}
  const hosts = networkHosts(tool, args)
  return hosts === undefined ? {} : { hosts }
}

/** PostgreSQL's JSON refuses escapes of NUL and of half a pair: one such row would end every query over it. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return toStorable(value)
  if (Array.isArray(value)) return value.map(storable)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [toStorable(name), storable(inner)]),
  )
}
