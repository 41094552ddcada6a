import { z } from 'zod'
import { isTimeZone, languages } from '../../domain/messages/language.ts'
import { mayTakePaths } from '../../rules/tools/registry.ts'
import { duration, integer, keyKinds, pathGlobFault, text, url, wildcard } from '../key-types.ts'
import { toolName } from './schema-rules.ts'

export const chatSection = z
  .strictObject({
    language: z
      .enum(languages)
      .default('en')
      .describe(
        'Language of all that people read in chats: English, German or Spanish. What tools, models and rules say stays as it is.',
      ),
    time_zone: text()
      .refine(isTimeZone)
      .register(keyKinds, { kind: 'text', expected: 'a time zone, such as "Europe/Berlin"' })
      .optional()
      .describe(
        'Zone of times in chats; unset: the server’s. Each time names it. On Slack’s cards each reader sees the own zone, at a terminal that of the machine.',
      ),
  })
  .prefault({})
  .describe('What people read in chats.')

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
        'Public address that Telegram sends updates to; unset: long polling. `http` works with a Bot API server of your own only.',
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
    port: integer(0, 65_535).default(3_000).describe('Port on which Slack calls in `http` mode.'),
  })
  .prefault({})
  .describe('Slack, served when `SLACK_BOT_TOKEN` is set.')

const role = () => z.enum(['user', 'approver', 'operator'])
const tier = (meaning: string) => role().default('user').describe(meaning)
const count = () => integer(1, 10).default(1)

const quorumRule = z
  .strictObject({
    tool: toolName().describe('Tool name, or a wildcard over names.'),
    pattern: wildcard().default('*').describe('Pattern for the command, path or URL.'),
    people: integer(2, 10).default(2).describe('Number of different people who must approve.'),
  })
  .superRefine(({ tool, pattern }, context) => {
    const message = mayTakePaths(tool) ? pathGlobFault(pattern) : undefined
    if (message) context.addIssue({ code: 'custom', message, path: ['pattern'] })
  })

export const approvalSection = z
  .strictObject({
    ttl: duration(1).prefault('24h').describe('Time that an approval waits for an answer.'),
    remind_after: duration(0).prefault('1h').describe('Time until people are reminded; 0: never.'),
    on_expiry: z
      .enum(['deny', 'wait', 'stop'])
      .default('deny')
      .describe('Action when nobody answers: deny the call, wait again, or stop the turn.'),
    escalate_to: z
      .array(text())
      .default([])
      .describe('Deputies who are asked next, such as `slack:T1:U2`.'),
    escalate_after: duration(0).prefault(0).describe('Time until each of them is asked; 0: never.'),
    route: z
      .enum(['conversation', 'approver', 'channel'])
      .default('conversation')
      .describe(
        'Destination of cards: the conversation of the request, the approvers’ private chats, or `channel`.',
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
        'Tools for which *Always* covers any arguments; not for commands, files or the web.',
      ),
    roles: z
      .strictObject({
        low: tier('Least role for low risk.'),
        medium: tier('Least role for medium risk.'),
        high: tier('Least role for high risk.'),
      })
      .prefault({})
      .describe(
        'Least role with which callers may approve their own calls; approvers and operators always may.',
      ),
    people: z
      .strictObject({
        low: count().describe('For low risk.'),
        medium: count().describe('For medium risk.'),
        high: count().describe('For high risk.'),
      })
      .prefault({})
      .describe('Number of different people who must approve.'),
    quorum: z.array(quorumRule).default([]).describe('Calls that need more people.'),
  })
  .prefault({})
  .describe('Approvals: who answers, where and in which time.')
