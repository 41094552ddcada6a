import { platformFacts } from '../../../domain/chat-platforms.ts'
import { always, approve, deny } from './answer.ts'
import { approvals } from './approvals.ts'
import { audit } from './audit.ts'
import { away, back } from './away.ts'
import { budget } from './budget.ts'
import { clear } from './clear.ts'
import { type Command, type CommandTransaction, reply, replyAlone } from './command.ts'
import { context } from './context.ts'
import { edit } from './edit.ts'
import { grants, revoke } from './grants.ts'
import { link } from './link.ts'
import { model } from './model.ts'
import { output } from './output.ts'
import { permissions } from './permissions.ts'
import { retry } from './retry.ts'
import { status } from './status.ts'
import { stop } from './stop.ts'
import { undo } from './undo.ts'
import { worker } from './worker.ts'

const help: Command = {
  name: 'help',
  usage: '',
  summary: 'this list',
  run: (context) => reply(context, helpText(context)),
}

const start: Command = {
  name: 'start',
  usage: '',
  summary: 'what this is, and what it can do',
  run: (context) => reply(context, `Hello, ${context.caller.name}. ${helpText(context)}`),
}

const commands: readonly Command[] = [
  start,
  help,
  { name: 'approve', usage: '[n|all]', summary: 'approve a waiting call', run: approve },
  {
    name: 'always',
    usage: '[n] [turn|15m|1h|5x]',
    summary: 'approve it, and the like of it from now on, or until then',
    run: always,
  },
  { name: 'deny', usage: '[n|all] [reason]', summary: 'refuse a waiting call', run: deny },
  { name: 'edit', usage: '[n] text', summary: 'change a waiting call and approve it', run: edit },
  { name: 'approvals', usage: '', summary: 'show again what waits for an answer', run: approvals },
  {
    name: 'grants',
    usage: '[revoke n]',
    summary: 'what is allowed without asking, and until when',
    run: grants,
  },
  { name: 'revoke', usage: 'n', summary: 'take a grant back', run: revoke },
  {
    name: 'away',
    usage: '[2h]',
    summary: 'others are asked instead of you, for approvers',
    run: away,
  },
  { name: 'back', usage: '', summary: 'the end of /away', run: back },
  { name: 'stop', usage: '', summary: 'end the present turn', run: stop },
  {
    name: 'retry',
    usage: '',
    summary: 'go on where the last turn failed or was stopped',
    run: retry,
  },
  { name: 'undo', usage: '[anyway]', summary: 'take back what the last call changed', run: undo },
  { name: 'clear', usage: '', summary: 'start over and reset the quota', run: clear },
  { name: 'link', usage: '', summary: 'a code that makes another account yours too', run: link },
  {
    name: 'budget',
    usage: '[lift]',
    summary: 'what is left for today; operators lift it',
    run: budget,
  },
  { name: 'status', usage: '', summary: 'model, worker, quota, tokens, what waits', run: status },
  { name: 'context', usage: '', summary: 'what the model has of this conversation', run: context },
  {
    name: 'permissions',
    usage: '',
    summary: 'what runs without asking',
    run: permissions,
  },
  { name: 'audit', usage: '[n] [mine]', summary: 'the latest calls of the audit', run: audit },
  { name: 'model', usage: '[name]', summary: 'which model answers; choose another', run: model },
  {
    name: 'worker',
    usage: '[name]',
    summary: 'where tools run; operators choose another',
    run: worker,
  },
  { name: 'output', usage: '[n] [all]', summary: 'the output of a tool call', run: output },
]

/** Lists every command, for platforms that complete them. */
export function listCommands(): readonly Pick<Command, 'name' | 'summary'>[] {
  return commands
}

export function findCommand(name: string): Command | undefined {
  return commands.find((command) => command.name === name.toLowerCase())
}

export function unknownCommand(tx: CommandTransaction, name: string): Promise<void> {
  return replyAlone(tx, `There is no command /${name.slice(0, 40)}. /help lists them.`)
}

/** Input that the terminal itself handles besides commands (TERM-03, CHAT-07). */
const ofTerminal: readonly (readonly [string, string])[] = [
  ['/upload path', 'put a file of yours into the workspace'],
  ['!command', 'run a command in the box yourself, without a question'],
]

function helpText(tx: CommandTransaction): string {
  const { conversation } = tx

  const own = platformFacts(conversation.platform).isLocal === true ? ofTerminal : []
  const all = commands.map(({ name, usage, summary }) => [`/${name} ${usage}`.trim(), summary])
  const lines = [...all, ...own].map(([typed = '', summary]) => `${typed.padEnd(30)}${summary}`)
  return ['Write what you want done. Risky calls wait for your answer.', '', ...lines].join('\n')
}
