/**
 * What happened to steps before migrations/landed.txt kept them: closed lists, since a landed step is no longer renamed, and
 * none is put before another. The differences that these databases have otherwise are mended by a step of their own,
 * 20261125T223443-mend-early-databases.
 */

/** Steps that were renamed after databases had taken them: former name to present name. */
export const renamed: ReadonlyMap<string, string> = new Map([
  ['20261123T000000-failures', '20261123T034000-failures'],
  ['20261123T010000-filtered-output', '20261123T035000-filtered-output'],
  ['20261125T224500-audit-people', '20261126T000500-audit-people'],
  ['20261125T224500-long-conversations', '20261125T233000-long-conversations'],
])

/** Steps that were put before others which databases had taken. Each does the same when it is taken after them. */
export const mayComeLate: ReadonlySet<string> = new Set([
  '20261122T040000-audit-hops',
  '20261122T090000-audit-functions-of-the-owner',
  '20261123T080000-uploads',
  '20261123T100000-addressees',
  '20261123T103000-link-asked',
  '20261123T103500-upload-bytes',
  '20261123T110000-albums-of-events',
  '20261125T223000-audit-verifications',
])

/** A step whose earlier text made no such table or view: databases that took it then cannot be brought to this version. */
export const marks: readonly { readonly step: string; readonly relation: string }[] = [
  { step: '20261122T011000-audit-views', relation: 'audit_waiting' },
]
