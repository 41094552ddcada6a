import type { AuditEvent } from '../../domain/audit-event.ts'

const callerId = /^(?:telegram|slack|console|api|acp|test):./su
const callerIds =
  /\b(?:telegram|slack|console|api|acp|test):[\p{L}\p{N}_@+-](?:[\p{L}\p{N}_.@:+-]*[\p{L}\p{N}_@+-])?/gu

/** The caller ids of who asked and who decided. */
export function peopleOf({ caller_id, decided_by }: AuditEvent): readonly string[] {
  return [caller_id, decided_by].filter((id) => id !== undefined && callerId.test(id)) as string[]
}

/** What reads like a caller id in the remark; a command such as `npm run test:unit` does too. */
export function namesIn({ note }: AuditEvent): readonly string[] {
  return note?.match(callerIds) ?? []
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
