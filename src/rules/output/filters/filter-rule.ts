import { z } from 'zod'

const pattern = z.string().min(1)
const patterns = z.array(pattern).min(1).max(256)
const count = z.number().int().nonnegative().max(1_000_000)

/** Strategies and their options, as written in rule files (OUT-04). */
export const strategyOptions = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('strip_noise'),
    patterns,
    /** Noise that names the current step: the last one before each failure is kept. */
    steps: patterns.optional(),
  }),
  z.strictObject({
    type: z.literal('truncate'),
    /** `head + tail` by default. */
    max_lines: count.optional(),
    head: count.default(20),
    tail: count.default(20),
    /** Lines that are kept anywhere. */
    keep: patterns.optional(),
    /** Heading lines, such as the name of a directory: after an omission the last one is shown again. */
    headings: patterns.optional(),
    /** Lines that quote people's words, such as commit messages; they report no failure. */
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

/** A rule in an operator's file (OUT-02). Missing parts come from the built-in rule of that name. */
export const partialRule = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
    error: 'has letters, digits, dots, underscores and hyphens, 64 at most',
  }),
  match: matchOptions.optional(),
  strategy: strategyOptions.optional(),
  enabled: z.boolean().default(true),
})
export type PartialRule = z.infer<typeof partialRule>

/** Which commands a rule matches, and the strategy for their output (OUT-02). */
export interface FilterRule {
  readonly name: string
  readonly match: MatchOptions
  readonly strategy: StrategyOptions
}
