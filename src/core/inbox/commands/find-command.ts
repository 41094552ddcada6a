import { platformFacts } from '../../../domain/chat-platforms.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import { always, approve, deny } from './answer.ts'
import { approvals } from './approvals.ts'
import { audit } from './audit.ts'
import { budget } from './budget.ts'
import { clear } from './clear.ts'
import { type Command, type CommandTransaction, reply, replyAlone } from './command.ts'
import { context } from './context.ts'
import { away, back, link } from './link.ts'
import { mcp } from './mcp.ts'
import { model } from './model.ts'
import { output } from './output.ts'
import { grants, permissions, revoke } from './permissions.ts'
import { status } from './status.ts'
import { edit, retry, stop, undo } from './turn-commands.ts'
import { worker } from './worker.ts'

const none = () => ''

const help: Command = {
  name: 'help',
  usage: none,
  run: (context) => reply(context, helpText(context)),
}

const start: Command = {
  name: 'start',
  usage: none,
  run: (context) =>
    reply(
      context,
      `${context.ctx.messages.commands.hello({ name: context.caller.name })} ${helpText(context)}`,
    ),
}

const commands: readonly Command[] = [
  start,
  help,
  { name: 'approve', usage: () => '[n|n-m|all]', run: approve },
  {
    name: 'always',
    usage: () => '[n] [turn|15m|1h|5x]',
    run: always,
  },
  { name: 'deny', usage: ({ reason }) => `[n|n-m|all] [${reason}]`, run: deny },
  { name: 'edit', usage: ({ text }) => `[n] ${text}`, run: edit },
  { name: 'approvals', usage: none, run: approvals },
  {
    name: 'grants',
    usage: () => '[revoke n]',
    run: grants,
  },
  { name: 'revoke', usage: () => 'n', run: revoke },
  {
    name: 'away',
    usage: () => '[2h]',
    run: away,
  },
  { name: 'back', usage: none, run: back },
  { name: 'stop', usage: none, run: stop },
  {
    name: 'retry',
    usage: none,
    run: retry,
  },
  { name: 'undo', usage: () => '[anyway]', run: undo },
  { name: 'clear', usage: none, run: clear },
  { name: 'link', usage: none, run: link },
  {
    name: 'budget',
    usage: () => '[lift]',
    run: budget,
  },
  { name: 'status', usage: none, run: status },
  { name: 'context', usage: none, run: context },
  {
    name: 'permissions',
    usage: none,
    run: permissions,
  },
  { name: 'audit', usage: () => '[n] [mine]', run: audit },
  { name: 'model', usage: ({ name }) => `[${name}]`, run: model },
  {
    name: 'worker',
    usage: ({ name }) => `[${name}]`,
    run: worker,
  },
  { name: 'mcp', usage: () => '[approve|refuse server code]', run: mcp },
  { name: 'output', usage: () => '[n] [all]', run: output },
]

/** Lists every command with its description, for platforms that complete them. */
export function listCommands(
  messages: Messages,
): readonly { readonly name: string; readonly summary: string }[] {
  const { summaries } = messages.commands
  return commands.map(({ name }) => ({ name, summary: summaries[name] }))
}

export function findCommand(name: string): Command | undefined {
  return commands.find((command) => command.name === name.toLowerCase())
}

export function unknownCommand(tx: CommandTransaction, name: string): Promise<void> {
  return replyAlone(tx, tx.ctx.messages.commands.unknown({ name: name.slice(0, 40) }))
}

function helpText({ ctx, conversation }: CommandTransaction): string {
  const { intro, placeholders, summaries } = ctx.messages.commands
  const { path, command } = placeholders
  // Input that the terminal itself handles besides commands (TERM-03, CHAT-07).
  const ofTerminal = [
    [`/upload ${path}`, summaries.upload],
    [`!${command}`, summaries.shell],
  ]
  const own = platformFacts(conversation.platform).isLocal === true ? ofTerminal : []
  const all = commands.map(({ name, usage }) => [
    `/${name} ${usage(placeholders)}`.trim(),
    summaries[name],
  ])
  const lines = [...all, ...own].map(([typed = '', summary]) => `${typed.padEnd(30)}${summary}`)
  return [intro, '', ...lines].join('\n')
}
