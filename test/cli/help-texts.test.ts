import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from '../../src/cli/run-command-line.ts'
import { Environment } from '../../src/config/env.ts'

const program = createProgram({ environment: new Environment({}), cwd: '/', exitCode: 0 })
const all = commandsOf(program)

function commandsOf(command: Command): readonly Command[] {
  return command.commands.flatMap((inner) => [inner, ...commandsOf(inner)])
}

function nameOf(command: Command): string {
  return command.parent === null ? '' : `${nameOf(command.parent)} ${command.name()}`.trim()
}

function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({
    writeOut: (part) => {
      text += part
    },
  })
  command.outputHelp()
  return text
}

const named = all.map((command) => [nameOf(command), command] as const)

test.each(named)(
  'CLI-01 %s: it, its options and its arguments are described, in a sentence that fits in a terminal',
  (_name, command) => {
    expect(command.description()).toMatch(/^[A-Z].+\.$/)
    const parts = [...command.options, ...command.registeredArguments]
    for (const part of parts) expect(part.description, part.name()).not.toBe('')
    const lines = helpOf(command).split('\n')
    expect(lines.filter((line) => line.length > 110)).toEqual([])
  },
)

test.each(named.filter(([, { commands }]) => commands.length === 0))(
  'CLI-01 %s: its help shows how it is called, and every option that an example uses exists',
  (name, command) => {
    const help = helpOf(command)
    const calls = help.split('\n').filter((line) => /^ +\$ /.test(line))
    if (name !== 'version') expect(calls.join('\n')).toContain(`countersign ${name}`)
    const known = new Set([
      ...command.options.map(({ long }) => long),
      ...(command.parent?.options ?? []).map(({ long }) => long),
    ])
    const given = new RegExp(`countersign ${name}([^|]*)`)
    const used = calls.flatMap((line) => (given.exec(line)?.[1] ?? '').match(/--[a-z-]+/g) ?? [])
    expect(used.filter((option) => !known.has(option))).toEqual([])
  },
)
