/** One piece of a path pattern's syntax tree. */
export type GlobNode =
  | { readonly kind: 'character'; readonly code: number }
  | CharacterSet
  /** `?`: one character but `/`. */
  | { readonly kind: 'one' }
  /** `*` where it stays within one name. */
  | { readonly kind: 'name' }
  /** `*` or `**` that goes on over `/`. */
  | { readonly kind: 'any' }
  /** `**` and a slash: any leading directories, also none. */
  | { readonly kind: 'directories' }
  | { readonly kind: 'choice'; readonly options: readonly GlobNode[][]; readonly repeat: Repeat }
  /** `/**` at the end: a directory's own path, and whatever lies below it. */
  | { readonly kind: 'below' }

/** One character but `/`, in these ranges or, negated, in none of them. */
export interface CharacterSet {
  readonly kind: 'set'
  readonly negated: boolean
  readonly ranges: readonly CodeRange[]
}

/** Code points, both ends included. */
export type CodeRange = readonly [from: number, to: number]

/** `once` is `@(…)`, `optional` `?(…)`, `many` `*(…)`, `some` `+(…)`. */
export type Repeat = 'once' | 'optional' | 'many' | 'some'

export const slash = 47
