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

/** `mcp__` with server and tool is longer than the tool's own name, which has at most 64 characters. */
export const toolName = () =>
  textLike(/^[A-Za-z0-9_*?-]{1,104}$/u, 'the name of a tool, in which `*` stands for any text')

const permission = z.strictObject({
  pattern: wildcard().describe('Pattern for the command, path or URL; case is ignored.'),
  action: z.enum(['allow', 'ask', 'deny']).describe('Run without asking, ask a person, or refuse.'),
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
    'Operator rules: an ordered list for each tool, of which the first match counts. A deny is final.',
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
  effect: z
    .enum(['allow', 'deny'])
    .describe('`deny` is final; `allow` continues with the permissions.'),
  tool: toolName().describe('Tool name, or a wildcard over names.'),
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
    .describe('Variables that must all be set in the agent’s environment, with any value.'),
  trust_level: z
    .enum(['trusted', 'verified', 'quarantined', 'blocked'])
    .optional()
    .describe('Trust level of the tool.'),
  capabilities: z.array(text()).default([]).describe('Reserved.'),
})

const policyRules = () =>
  z
    .array(policyRule)
    .max(256)
    .default([])
    .describe('Rules, of which the first match counts; at most 256 in both sections together.')

export const policySection = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Applies the rules, before permissions.'),
    default_effect: z
      .enum(['allow', 'deny'])
      .default('deny')
      .describe(
        'Result for calls that no rule matches, if this section or `[tools.authorization]` is enabled.',
      ),
    rules: policyRules(),
  })
  .prefault({})
  .describe('Policy: rules before the permissions, which can only restrict.')

export const authorizationSection = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Applies these rules, after those of the policy.'),
    rules: policyRules(),
  })
  .prefault({})
  .describe('Rules appended to those of the policy.')

export const anomalySection = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Watches how often each tool fails.'),
    window_size: integer(1, 10_000).default(20).describe('Number of recent executions that count.'),
    failure_threshold: fraction()
      .default(0.7)
      .describe('Failure rate above which operators are alerted.'),
    auto_block: z
      .boolean()
      .default(true)
      .describe('Blocks the tool at that rate, until an operator unblocks it.'),
  })
  .prefault({})
  .describe('Tools that keep failing.')

export const adversarialSection = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Lets a second model judge each call.'),
    provider: text().optional().describe('Name from `[models.<name>]`; unset: the main model.'),
    policy: longText(16_000)
      .optional()
      .describe('Your instructions to the reviewer, added to its own.'),
    block_on_reject: z
      .boolean()
      .default(true)
      .describe(
        'Refuses rejected calls without telling the model why; false: a person is asked and sees the reason.',
      ),
    fail_open: z
      .boolean()
      .default(false)
      .describe(
        'Lets a call continue if the review fails, times out or is invalid; false: the call counts as rejected.',
      ),
    timeout: duration(0.1, 600).prefault(3).describe('Time limit for the review of a call.'),
    exempt_tools: z.array(toolName()).default([]).describe('Tools whose calls are not reviewed.'),
  })
  .prefault({})
  .describe('Review of calls by a second model, before they run and before a person is asked.')
