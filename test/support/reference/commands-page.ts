import type { Command } from 'commander'
import { createProgram } from '../../../src/cli/run-command-line.ts'
import { readEnvironment } from '../../../src/config/env.ts'

const introduction = `<!-- Made from the commands: npm run reference -->

# Commands

\`countersign COMMAND --help\` has examples and exit codes. \`[value]\` may be left out, \`<value>\` may not.`

/** DOC-02: all commands with arguments and options, the content of `docs/reference/commands.md`. */
export function commandsPage(): string {
  const program = createProgram({ environment: readEnvironment(), cwd: '/', exitCode: 0 })
  return `${[introduction, ...program.commands.map((command) => groupPart(command))].join('\n\n')}\n`
}

/** A command, or a group with its commands. */
function groupPart(command: Command): string {
  const parts = [command, ...command.commands].filter((part) => part.name() !== 'help')
  return [`## ${command.name()}`, ...parts.map((part) => commandPart(part, command))].join('\n\n')
}

function commandPart(command: Command, group: Command): string {
  const path = command === group ? command.name() : `${group.name()} ${command.name()}`
  const usage = command.usage().replace(/\[options\]|\[command\]/g, '')
  const line = `\`countersign ${`${path} ${usage}`.replaceAll(/ +/g, ' ').trim()}\` — ${command.description()}`
  const options = command.options.filter(({ hidden }) => !hidden)
  const rows = options.map(
    ({ flags, description, argChoices, defaultValue, defaultValueDescription }) => {
      const among = argChoices === undefined ? '' : ` (${argChoices.join(', ')})`
      const usual = defaultValueDescription ?? defaultValue
      const otherwise = usual === undefined ? '' : ` (default ${String(usual)})`
      return `| \`${flags}\` | ${description}${among}${otherwise} |`.replaceAll('\n', ' ')
    },
  )
  return rows.length === 0
    ? line
    : [line, '', '| option | meaning |', '|---|---|', ...rows].join('\n')
}
