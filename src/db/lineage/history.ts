/** Steps that were renamed after databases had taken them: former name to present name. */
export const renamed: ReadonlyMap<string, string> = new Map([
  ['20261123T000000-failures', '20261123T034000-failures'],
  ['20261123T010000-filtered-output', '20261123T035000-filtered-output'],
  ['20261125T224500-audit-people', '20261126T000500-audit-people'],
  ['20261125T224500-long-conversations', '20261125T233000-long-conversations'],
])

/** Steps that were put before others which databases had taken. Each does the same when it is taken after them. */
export const mayComeLate: ReadonlySet<string> = new Set(['20261125T223000-audit-verifications'])

/** A step whose earlier text made no such table or view: databases that took it then cannot be brought to this version. */
export const marks: readonly { readonly step: string; readonly relation: string }[] = [
  { step: '20261122T011000-audit-views', relation: 'audit_waiting' },
]

/** The steps of the first days. Together they made the same tables as `squashed` makes. */
export const former: readonly string[] = [
  '20261121T100000-conversations-and-turns',
  '20261121T101000-calls-and-approvals',
  '20261121T102000-audit',
  '20261121T103000-attempts-and-indexes',
  '20261121T220000-chat-platforms',
  '20261122T010000-audit-partitions',
  '20261122T011000-audit-views',
  '20261122T020000-processes',
  '20261122T030000-unheard-calls',
  '20261122T040000-audit-hops',
  '20261122T080000-rules-of-agents',
  '20261122T090000-audit-functions-of-the-owner',
  '20261122T091000-late-and-turned-back',
  '20261122T120000-turns-that-undo',
  '20261122T150000-tool-trust',
  '20261122T151000-approvers',
  '20261122T152000-life-of-grants',
  '20261122T153000-worker-permissions',
  '20261122T154000-approval-numbers',
  '20261122T160000-api-tokens',
  '20261122T170000-edited-calls',
  '20261122T190000-batches-of-questions',
  '20261123T030000-model-retries',
  '20261123T031000-budgets',
  '20261123T032000-calls-in-text',
  '20261123T033000-context-budget',
  '20261123T034000-failures',
  '20261123T035000-filtered-output',
  '20261123T040000-call-reviews',
  '20261123T050000-shown-tools',
  '20261123T060000-result-cache',
  '20261123T061000-summaries',
  '20261123T062000-kinds-of-kept-text',
  '20261123T070000-stop-buttons',
  '20261123T080000-uploads',
  '20261123T081000-linked-accounts',
  '20261123T082000-slack-places',
  '20261123T083000-feedback-buttons',
  '20261123T100000-addressees',
  '20261123T103000-link-asked',
  '20261123T103500-upload-bytes',
  '20261123T110000-albums-of-events',
  '20261123T120000-chosen-models-and-workers',
]

/** The steps that took the place of `former`. */
export const squashed: readonly string[] = [
  '20261121T000001-conversations',
  '20261121T000002-people',
  '20261121T000003-calls',
  '20261121T000004-events',
  '20261121T000005-approvals',
  '20261121T000006-uploads',
  '20261121T000007-workers',
  '20261121T000008-audit',
  '20261121T000009-audit-partitions',
  '20261121T000010-audit-views',
  '20261121T000011-audit-comments',
]

/**
 * The present names of the steps that a database took. A database that took all of `former` counts as having taken `squashed`;
 * one that took only some of them keeps their names, and no step leads from there to this version.
 */
export function presentSteps(done: readonly string[]): ReadonlySet<string> {
  const steps = new Set(done.map((step) => renamed.get(step) ?? step))
  if (!former.every((step) => steps.has(step))) return steps
  for (const step of former) steps.delete(step)
  for (const step of squashed) steps.add(step)
  return steps
}
