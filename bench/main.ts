import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { gate } from './measure/gate.ts'
import { many } from './measure/many.ts'
import { memory } from './measure/memory.ts'
import { start } from './measure/start.ts'
import { statements } from './measure/statements.ts'
import { tool } from './measure/tool.ts'
import { turn } from './measure/turn.ts'
import type { Figure } from './support/figure.ts'
import type { Measurement } from './support/measurement.ts'
import { toTable } from './support/table.ts'

const all: readonly Measurement[] = [start, turn, tool, gate, many, memory, statements]
const names = all.map(({ name }) => name).join(', ')

const help = `npm run bench -- [--json] [--quick] [measurement …]

Measures this product on this machine. Measurements: ${names}; all by default.
  --json   prints the figures as one JSON document
  --quick  fewer runs: a look, not a result
`

const { values, positionals } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})

const unknown = positionals.filter((name) => all.every((measurement) => measurement.name !== name))
if (values.help || unknown.length > 0) {
  process.stdout.write(help)
  process.exitCode = values.help ? 0 : 2
} else await run()

async function run(): Promise<void> {
  const chosen = all.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const effort = { scale: values.quick ? 0.2 : 1 }
  const groups: { name: string; about: string; figures: readonly Figure[] }[] = []
  for (const { name, about, measure } of chosen) {
    const figures = await measure(effort)
    groups.push({ name, about, figures })
    if (!values.json) process.stdout.write(`\n${name}: ${about}\n${toTable(figures)}\n`)
  }
  if (values.json)
    process.stdout.write(`${JSON.stringify({ machine: machine(), groups }, null, 2)}\n`)
  else process.stdout.write(`\n${described()}\n`)
}

function machine() {
  const [cpu] = cpus()
  return {
    date: new Date().toISOString(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpu?.model ?? 'unknown',
    cores: cpus().length,
    load: loadavg()[0] ?? 0,
  }
}

function described(): string {
  const { date, node, platform, cpu, cores, load } = machine()
  return `${date}, Node ${node}, ${platform}, ${cores} × ${cpu}, load ${load.toFixed(1)} at the end`
}
