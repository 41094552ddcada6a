import { former, mayComeLate, presentSteps } from './history.ts'

/** Relation between the migrations of a database and those of this version. Names are ordered oldest first. */
export type Lineage =
  /** The database can be migrated to this version by the migrations in `missing`; it is up to date if there are none. */
  | { readonly kind: 'ours'; readonly missing: readonly string[] }
  /** A later version of this program applied the migrations in `unknown`. */
  | { readonly kind: 'newer'; readonly unknown: readonly string[] }
  /** A restore into the database has not finished. */
  | { readonly kind: 'unfinished' }
  | OtherLineage

/** The database has migrations that this version lacks, in another order, or with other contents under the same name. */
export interface OtherLineage {
  readonly kind: 'other'
  /** Applied migrations that this version does not know. */
  readonly unknown: readonly string[]
  /** Migrations of this version that the database lacks although it has later ones. */
  readonly skipped: readonly string[]
  /** Migrations whose content was different when the database applied them. */
  readonly changed: readonly string[]
}

/** Input of compareLineage. */
export interface LineageFacts {
  /** Migrations of this version, in order. */
  readonly known: readonly string[]
  /** Migrations of the database, under the names with which they were applied. */
  readonly done: readonly string[]
  readonly changed?: readonly string[]
}

/** Result that follows from the migrations alone. */
export type ComparedLineage = Exclude<Lineage, { readonly kind: 'unfinished' }>

/** Compares steps by name alone; steps that were renamed or squashed count under their present names. */
export function compareLineage({ known, done, changed = [] }: LineageFacts): ComparedLineage {
  const taken = presentSteps(done)
  const started = former.filter((step) => taken.has(step))
  if (started.length > 0) {
    const skipped = former.filter((step) => !taken.has(step))
    return { kind: 'other', unknown: [], skipped, changed }
  }
  const missing = known.filter((step) => !taken.has(step))
  const unknown = [...taken].filter((step) => !known.includes(step)).sort()
  const skipped = missing.filter((step) => isSkipped(step, taken))
  if (skipped.length > 0 || changed.length > 0) return { kind: 'other', unknown, skipped, changed }
  if (unknown.length === 0) return { kind: 'ours', missing }
  const newest = known.at(-1) ?? ''
  const isNewer = missing.length === 0 && unknown.every((step) => step > newest)
  return isNewer ? { kind: 'newer', unknown } : { kind: 'other', unknown, skipped, changed }
}

function isSkipped(step: string, taken: ReadonlySet<string>): boolean {
  return !mayComeLate.has(step) && [...taken].some((later) => later > step)
}
