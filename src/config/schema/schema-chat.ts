import { z } from 'zod'
import { mayTakePaths } from '../../rules/tools/registry.ts'
import { duration, integer, keyKinds, pathGlobFault, text, url, wildcard } from '../key-types.ts'
import { toolName } from './schema-rules.ts'

/** An id or user name, with or without `@`; TOML numbers are taken as ids. */
const person = () =>
  z
    .custom<string | number>(
      (value) =>
        Number.isSafeInteger(value) || (typeof value === 'string' && /^@?[\w.-]+$/u.test(value)),
    )
    .transform((value) => String(value).replace(/^@/u, ''))
    .register(keyKinds, { kind: 'text', expected: 'an id or a username' })

const people = (meaning: string) => z.array(person()).default([]).describe(meaning)

const roleLists = {
  allowed_users: people('Who may talk: ids or usernames; empty: nobody.'),
  approvers: people('Who may also answer the approvals of others.'),
  operators: people(
    'Operators: approvers who also read everybody’s audit, lift budgets and choose workers.',
  ),
}

export const telegramSection = z
  .strictObject({
    ...roleLists,
    webhook_url: url('https', 'http')
      .optional()
      .describe(
        'Where Telegram calls; unset: long polling. Without `s` only a Bot API server of your own does.',
      ),
  })
  .prefault({})
  .describe('Telegram, served when `TELEGRAM_BOT_TOKEN` is set.')

export const slackSection = z
  .strictObject({
    ...roleLists,
    mode: z
      .enum(['socket', 'http'])
      .optional()
      .describe('Unset: `socket` when `SLACK_APP_TOKEN` is set, else `http`.'),
    port: integer(0, 65_535).default(3_000).describe('Where Slack calls in `http` mode.'),
  })
  .prefault({})
  .describe('Slack, served when `SLACK_BOT_TOKEN` is set.')

const role = () => z.enum(['user', 'approver', 'operator'])
const tier = (meaning: string) => role().default('user').describe(meaning)
const count = () => integer(1, 10).default(1)

const quorumRule = z
  .strictObject({
    tool: toolName().describe('The tool, or a wildcard over names.'),
    pattern: wildcard().default('*').describe('What the command, path or URL looks like.'),
    people: integer(2, 10).default(2).describe('How many different people must approve.'),
  })
  .superRefine(({ tool, pattern }, context) => {
    const message = mayTakePaths(tool) ? pathGlobFault(pattern) : undefined
    if (message) context.addIssue({ code: 'custom', message, path: ['pattern'] })
  })

export const approvalSection = z
  .strictObject({
    ttl: duration(1).prefault('24h').describe('How long a question waits for its answer.'),
    remind_after: duration(0).prefault('1h').describe('When people are reminded; 0: never.'),
    on_expiry: z
      .enum(['deny', 'wait', 'stop'])
      .default('deny')
      .describe('What then happens: a denial, more waiting, or the end of the turn.'),
    escalate_to: z.array(text()).default([]).describe('Callers asked next, such as `slack:T1:U2`.'),
    escalate_after: duration(0).prefault(0).describe('When they are asked; 0: never.'),
    route: z
      .enum(['conversation', 'approver', 'channel'])
      .default('conversation')
      .describe(
        'Where cards go: where it was asked, to the approver’s private chat, or to `channel`.',
      ),
    channel: text().optional().describe('A conversation, such as `telegram:-100123`.'),
    allow_self: z.boolean().default(true).describe('Whether callers may approve their own calls.'),
    learn_after: integer(0, 1_000)
      .default(10)
      .describe(
        'Approvals of one kind, never denied, after which a card proposes *Always*; 0: never.',
      ),
    weekly_digest: z
      .boolean()
      .default(false)
      .describe('Whether `[logging] alerts_to` gets the numbers of each week.'),
    always_by_name: z
      .array(toolName())
      .default([])
      .describe(
        'Tools that *Always* allows whatever their arguments; not commands, files or the web.',
      ),
    roles: z
      .strictObject({
        low: tier('Least role for low risk.'),
        medium: tier('Least role for medium risk.'),
        high: tier('Least role for high risk.'),
      })
      .prefault({})
      .describe('Who may approve: the caller with that role, and approvers and operators.'),
    people: z
      .strictObject({
        low: count().describe('For low risk.'),
        medium: count().describe('For medium risk.'),
        high: count().describe('For high risk.'),
      })
      .prefault({})
      .describe('How many different people must approve.'),
    quorum: z.array(quorumRule).default([]).describe('Calls that need more people.'),
  })
  .prefault({})
  .describe('Questions to people.')
