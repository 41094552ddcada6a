import { z } from 'zod'

const pattern = z.string().min(1)
const patterns = z.array(pattern).min(1).max(256)
const count = z.number().int().nonnegative().max(1_000_000)

/** OUT-04: what is done to the lines, with its options as rule files write them. */
export const strategyOptions = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('strip_noise'),
    patterns,
    /** Noise too, which says what is worked on: in front of each failure the last of them stays. */
    steps: patterns.optional(),
  }),
  z.strictObject({
    type: z.literal('truncate'),
    /** `head` and `tail` together when missing. */
    max_lines: count.optional(),
    head: count.default(20),
    tail: count.default(20),
    /** Lines that stay wherever they stand. */
    keep: patterns.optional(),
    /** Lines of which the last stays before each shown one behind a cut: a directory's name above what is in it. */
    headings: patterns.optional(),
    /** Lines in which people's words are quoted: these name no failure of the command's. */
    quotes: pattern.optional(),
  }),
  z.strictObject({ type: z.literal('keep_matching'), patterns }),
  z.strictObject({
    type: z.literal('strip_annotated'),
    prefixes: z.array(z.string().min(1).max(512)).min(1).max(256),
  }),
  z.strictObject({ type: z.literal('test_summary') }),
  z.strictObject({ type: z.literal('group_by_rule') }),
  z.strictObject({ type: z.literal('git_status') }),
  z.strictObject({ type: z.literal('git_diff'), max_diff_lines: count.default(500) }),
  z.strictObject({ type: z.literal('dedup') }),
])
export type StrategyOptions = z.infer<typeof strategyOptions>

const matchOptions = z
  .strictObject({
    exact: z.string().min(1).optional(),
    prefix: z.string().min(1).optional(),
    regex: pattern.optional(),
  })
  .refine((match) => Object.values(match).filter((value) => value !== undefined).length === 1, {
    error: 'exactly one of exact, prefix and regex must be set',
  })
export type MatchOptions = z.infer<typeof matchOptions>

/** OUT-02: one rule as a person writes it; what it leaves out is the built-in rule's of that name. */
export const writtenRule = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
    error: 'has letters, digits, dots, underscores and hyphens, 64 at most',
  }),
  match: matchOptions.optional(),
  strategy: strategyOptions.optional(),
  enabled: z.boolean().default(true),
})
export type WrittenRule = z.infer<typeof writtenRule>

/** OUT-02: what is done to the output of which commands. */
export interface FilterRule {
  readonly name: string
  readonly match: MatchOptions
  readonly strategy: StrategyOptions
}
