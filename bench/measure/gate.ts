import { parse } from 'unbash'
import { type GateFacts, judge } from '../../src/rules/gate/gate.ts'
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
const path = 'src/core/turn/advance-turn.ts'

/** PERF-01: one decision with 500 rules, none of which is the first that matches. */
export const gate: Measurement = {
  name: 'gate',
  about: `one decision with ${5 * rulesATable} rules`,
  measure: async () => {
    const facts = manyRules()
    const text = rulesText()
    const parsed = perCallUs(() => parse(command))
    const floor = { what: 'parse', value: median(parsed) }
    const bash = perCallUs(() => judge({ spec: specOf('bash'), args: { command } }, facts))
    const read = perCallUs(() => judge({ spec: specOf('read'), args: { path } }, facts))
    const edit = { path, old_text: 'a', new_text: 'b' }
    const edits = perCallUs(() => judge({ spec: specOf('edit'), args: edit }, facts))
    const parses = perCallUs(() => parsePermissions(text, { home: workspace }))
    return [
      toFigure('unbash parses the command, bare', 'µs', parsed),
      toFigure('bash', 'µs', bash, { floor, aim: { of: 'median', atMost: 50 } }),
      toFigure('read', 'µs', read, { aim: { of: 'median', atMost: 20 } }),
      toFigure('edit', 'µs', edits, { aim: { of: 'median', atMost: 20 } }),
      toFigure('reading the rules (once a change of the file)', 'µs', parses),
    ]
  },
}

/** 200 rules of the operator, 300 of the worker, spread over bash, read and edit. */
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
    grants: [],
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
      ...many('bash'),
    },
    read: { '*': 'allow', ...many('read') },
    edit: { '*': 'allow', ...many('edit') },
  })
}

function many(tool: 'bash' | 'read' | 'edit'): Readonly<Record<string, string>> {
  const patterns = Array.from({ length: rulesATable }, (_, index) =>
    tool === 'bash' ? `program${index} * --option` : `**/private${index}/*.ts`,
  )
  return Object.fromEntries(patterns.map((pattern) => [pattern, 'deny']))
}

function specOf(name: string): ToolSpec {
  const found = builtinTools.find((tool) => tool.name === name)
  if (found === undefined) throw new Error(`no tool ${name}`)
  return found
}
