import { z } from 'zod'
import { mayTakePaths } from '../../rules/tools/registry.ts'
import {
  duration,
  fraction,
  integer,
  longText,
  pathGlob,
  pathGlobFault,
  regex,
  text,
  textLike,
  wildcard,
} from '../key-types.ts'

export const toolName = () =>
  textLike(/^[A-Za-z0-9_*?-]{1,64}$/u, 'the name of a tool, in which `*` stands for any text')

const permission = z.strictObject({
  pattern: wildcard().describe('What the command, path or URL looks like; case does not count.'),
  action: z
    .enum(['allow', 'ask', 'deny'])
    .describe('Runs silently, needs a person, or is refused.'),
})

export const permissionsSection = z
  .record(toolName(), z.array(permission))
  .superRefine(
    (tools, context) => {
      for (const [tool, index, pattern] of pathPatterns(tools)) {
        const message = pathGlobFault(pattern)
        if (message) context.addIssue({ code: 'custom', message, path: [tool, index, 'pattern'] })
      }
    },
    // Checked even if another rule is invalid, so that all mistakes are reported at once.
    { when: () => true },
  )
  .optional()
  .describe(
    'The operator’s rules: an ordered array a tool, of which the first match counts. A deny is final.',
  )

function pathPatterns(tools: unknown): [tool: string, index: number, pattern: string][] {
  if (typeof tools !== 'object' || tools === null) return []
  return Object.entries(tools)
    .filter(([tool]) => mayTakePaths(tool))
    .flatMap(([tool, rules]: [string, unknown]) => {
      const list: readonly unknown[] = Array.isArray(rules) ? rules : []
      return list.flatMap((rule, index): [string, number, string][] => {
        const pattern = typeof rule === 'object' && rule && 'pattern' in rule ? rule.pattern : ''
        return typeof pattern === 'string' && pattern !== '' ? [[tool, index, pattern]] : []
      })
    })
}

const policyRule = z.strictObject({
  effect: z.enum(['allow', 'deny']).describe('A deny is final; an allow goes on to permissions.'),
  tool: toolName().describe('The tool, or a wildcard over names.'),
  paths: z
    .array(pathGlob())
    .default([])
    .describe('Globs: a deny needs one path of the call to match one, an allow all of them.'),
  args_match: regex()
    .optional()
    .describe('A deny needs one text among the arguments to fit, an allow all of them.'),
  env: z
    .array(text())
    .default([])
    .describe('Variables that must all be set in the agent’s environment; values do not matter.'),
  trust_level: z
    .enum(['trusted', 'verified', 'quarantined', 'blocked'])
    .optional()
    .describe('The tool’s trust level.'),
  capabilities: z.array(text()).default([]).describe('Reserved.'),
})

const policyRules = () =>
  z
    .array(policyRule)
    .max(256)
    .default([])
    .describe(
      'Of which the first match counts; at most 256, together with those of the other section.',
    )

export const policySection = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Applies the rules, before permissions.'),
    default_effect: z
      .enum(['allow', 'deny'])
      .default('deny')
      .describe(
        'What holds for a call that no rule names, as soon as this section or `[tools.authorization]` is enabled.',
      ),
    rules: policyRules(),
  })
  .prefault({})
  .describe('Policy: rules that come before permissions and can only tighten.')

export const authorizationSection = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Applies the rules, after those of the policy.'),
    rules: policyRules(),
  })
  .prefault({})
  .describe('Rules joined to the policy’s, after them.')

export const anomalySection = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Watches how often each tool fails.'),
    window_size: integer(1, 10_000).default(20).describe('The last executions that count.'),
    failure_threshold: fraction()
      .default(0.7)
      .describe('The share of failures above which operators are alerted.'),
    auto_block: z.boolean().default(true).describe('Blocks the tool then, until it is unblocked.'),
  })
  .prefault({})
  .describe('Tools that keep failing.')

export const adversarialSection = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Lets a second model judge each call.'),
    provider: text().optional().describe('A name from `[models.<name>]`; unset: the main model.'),
    policy: longText(16_000)
      .optional()
      .describe('What the reviewer goes by, in your words, above what it is told anyway.'),
    block_on_reject: z
      .boolean()
      .default(true)
      .describe(
        'Refuses what the reviewer rejects, and the model is told no reason; false: a person is asked, and sees it.',
      ),
    fail_open: z
      .boolean()
      .default(false)
      .describe(
        'Lets a call go on when the reviewer fails, is late or answers nonsense; false: it counts as rejected.',
      ),
    timeout: duration(0.1, 600).prefault(3).describe('How long the review of a call may take.'),
    exempt_tools: z.array(toolName()).default([]).describe('Tools that are not reviewed.'),
  })
  .prefault({})
  .describe('Review of calls by a second model, before they run and before anybody is asked.')
