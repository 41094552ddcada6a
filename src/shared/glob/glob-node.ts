/** Node of a path pattern's syntax tree. */
export type GlobNode =
  | { readonly kind: 'character'; readonly code: number }
  | CharacterSet
  /** `?`: one character other than `/`. */
  | { readonly kind: 'one' }
  /** `*` within one path segment. */
  | { readonly kind: 'name' }
  /** `*` or `**` that crosses `/`. */
  | { readonly kind: 'any' }
  /** `**` and a slash: any number of leading directories, also none. */
  | { readonly kind: 'directories' }
  | { readonly kind: 'choice'; readonly options: readonly GlobNode[][]; readonly repeat: Repeat }
  /** `/**` at the end: the directory itself, and everything below it. */
  | { readonly kind: 'below' }

/** One character other than `/` that lies in these ranges or, if negated, outside them. */
export interface CharacterSet {
  readonly kind: 'set'
  readonly negated: boolean
  readonly ranges: readonly CodeRange[]
}

/** Range of code points, both ends included. */
export type CodeRange = readonly [from: number, to: number]

/** Repetition of a group: `once` is `@(…)`, `optional` `?(…)`, `many` `*(…)`, `some` `+(…)`. */
export type Repeat = 'once' | 'optional' | 'many' | 'some'

export const slash = 47
