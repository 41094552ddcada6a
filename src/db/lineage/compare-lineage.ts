import { former, mayComeLate, presentSteps } from './history.ts'

/** How the steps that a database took relate to those of this version. Names of steps, oldest first. */
export type Lineage =
  /** The database can be brought to this version by the steps in `missing`; it is there when they are none. */
  | { readonly kind: 'ours'; readonly missing: readonly string[] }
  /** A later version of this program took the steps in `unknown`. */
  | { readonly kind: 'newer'; readonly unknown: readonly string[] }
  /** A restore into the database began and did not end. */
  | { readonly kind: 'unfinished' }
  | OtherLineage

/** The database was made by steps that this version does not have, in another order, or by other texts of the same name. */
export interface OtherLineage {
  readonly kind: 'other'
  /** Steps that the database took and this version does not know. */
  readonly unknown: readonly string[]
  /** Steps of this version that the database lacks, although it took later ones. */
  readonly skipped: readonly string[]
  /** Steps whose text was another one when the database took them. */
  readonly changed: readonly string[]
}

/** What compareLineage is given. */
export interface LineageFacts {
  /** The steps of this version, in their order. */
  readonly known: readonly string[]
  /** The steps that the database took, by the names under which it took them. */
  readonly done: readonly string[]
  readonly changed?: readonly string[]
}

/** What the steps alone can say. */
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
