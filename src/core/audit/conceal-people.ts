import type { AuditEvent } from '../../domain/audit-event.ts'

const callerId = /^(?:telegram|slack|console|api|acp|test):./su
const callerIds = /\b(?:telegram|slack|console|api|acp|test):[\w@+-](?:[\w.@:+-]*[\w@+-])?/gu

/** The caller ids that a row would hold: of who asked, who decided, and those in its remark. */
export function peopleIn({ caller_id, decided_by, note }: AuditEvent): readonly string[] {
  const fields = [caller_id, decided_by].filter((id) => id !== undefined && callerId.test(id))
  const named = note?.match(callerIds) ?? []
  return [...new Set([...fields, ...named])].filter((id) => id !== undefined)
}

/** The same event with pseudonyms in the place of caller ids. */
export function concealPeople(event: AuditEvent, aliases: ReadonlyMap<string, string>): AuditEvent {
  const { caller_id, decided_by, note } = event
  const toAlias = (id: string): string => aliases.get(id) ?? id
  return {
    ...event,
    ...(caller_id !== undefined && { caller_id: toAlias(caller_id) }),
    ...(decided_by !== undefined && { decided_by: toAlias(decided_by) }),
    ...(note !== undefined && { note: note.replace(callerIds, toAlias) }),
  }
}
