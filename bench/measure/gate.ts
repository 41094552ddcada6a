import { parse } from 'unbash'
import { evaluateCall, type GateFacts } from '../../src/rules/gate/gate.ts'
import { operatorLayer } from '../../src/rules/gate/permissions/operator-layer.ts'
import { parsePermissions } from '../../src/rules/gate/permissions/parse-permissions.ts'
import { builtinTools } from '../../src/rules/tools/registry.ts'
import type { ToolSpec } from '../../src/rules/tools/tool-spec.ts'
import { median, toFigure } from '../support/figure.ts'
import type { Measurement } from '../support/measurement.ts'
import { perCallUs } from '../support/repeat.ts'

const workspace = '/workspace'
const rulesATable = 100

/** Of the kind that agents write: a few commands, options, a pipe, a redirection. */
const command = 'git status --short && npm test -- --run test/core 2>&1 | tail -n 20'
const plainCommand = 'git log --oneline | head -5'
const url = 'https://docs.example.org/guide/start.html'
const path = 'src/core/turn/advance-turn.ts'

/** PERF-01: one decision with 500 rules, none of which is the first that matches. */
export const gate: Measurement = {
  name: 'gate',
  about: `one decision with ${6 * rulesATable} rules of three layers`,
  measure: async () => {
    const facts = manyRules()
    const text = rulesText()
    const parsed = perCallUs(() => parse(command))
    const floor = { what: 'parse', value: median(parsed) }
    const judged = (tool: string, args: Readonly<Record<string, unknown>>): number[] => {
      const spec = specOf(tool)
      return perCallUs(() => evaluateCall({ spec, args }, facts))
    }
    const aim = { of: 'median', atMost: 50 } as const
    const fileAim = { of: 'median', atMost: 20 } as const
    const parses = perCallUs(() => parsePermissions(text, { home: workspace }))
    return [
      toFigure('unbash parses the command, bare', 'µs', parsed),
      toFigure('bash', 'µs', judged('bash', { command }), { floor, aim }),
      toFigure(`bash, ${plainCommand}`, 'µs', judged('bash', { command: plainCommand }), { aim }),
      toFigure('read', 'µs', judged('read', { path }), { aim: fileAim }),
      toFigure('edit', 'µs', judged('edit', { path, old_text: 'a', new_text: 'b' }), {
        aim: fileAim,
      }),
      toFigure('fetch', 'µs', judged('fetch', { url }), { aim }),
      toFigure('reading the rules (once a change of the file)', 'µs', parses),
    ]
  },
}

/** 200 rules of the operator, 400 of the worker, spread over bash, read, edit and fetch; and a caller's grants. */
function manyRules(): GateFacts {
  const permissions = {
    bash: table((index) => `tool${index} --flag *`, 'ask'),
    read: table((index) => `secret${index}/**`, 'deny'),
  }
  const shell = { blocked_commands: [], confirm_patterns: [] }
  const operator = operatorLayer({ permissions, shell }, true)
  if (operator.kind === 'damaged') throw new Error(JSON.stringify(operator.problems))
  return {
    operator: operator.layer,
    worker: parsePermissions(rulesText(), { home: workspace }),
    grants: [{ tool: 'bash', pattern: 'git log *' }],
    workspace,
    protectedPaths: ['/data'],
    allowedPaths: [],
    commandPaths: [],
    readablePaths: [],
    confined: true,
    web: { allowedDomains: [], deniedDomains: [], allowedPorts: [443] },
  }
}

function table(pattern: (index: number) => string, action: 'ask' | 'deny') {
  return Array.from({ length: rulesATable }, (_, index) => ({ pattern: pattern(index), action }))
}

function rulesText(): string {
  return JSON.stringify({
    bash: {
      '*': 'ask',
      'git status *': 'allow',
      'npm test *': 'allow',
      'tail *': 'allow',
      'head *': 'allow',
      ...many('bash'),
    },
    read: { '*': 'allow', ...many('read') },
    edit: { '*': 'allow', ...many('edit') },
    fetch: { '*.example.org': 'allow', ...many('fetch') },
  })
}

const patterns = {
  bash: (index: number) => `program${index} * --option`,
  read: (index: number) => `**/private${index}/*.ts`,
  edit: (index: number) => `**/private${index}/*.ts`,
  fetch: (index: number) => `*.host${index}.example`,
}

function many(tool: keyof typeof patterns): Readonly<Record<string, string>> {
  const all = Array.from({ length: rulesATable }, (_, index) => patterns[tool](index))
  return Object.fromEntries(all.map((pattern) => [pattern, 'deny']))
}

function specOf(name: string): ToolSpec {
  const found = builtinTools.find((tool) => tool.name === name)
  if (found === undefined) throw new Error(`no tool ${name}`)
  return found
}
