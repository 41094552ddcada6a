import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { apart } from './measure/apart.ts'
import { audit } from './measure/audit.ts'
import { boxes } from './measure/boxes.ts'
import { chatLoad } from './measure/chat-load.ts'
import { gate } from './measure/gate.ts'
import { many } from './measure/many.ts'
import { memory } from './measure/memory.ts'
import { output } from './measure/output.ts'
import { outside } from './measure/outside.ts'
import { packed } from './measure/package.ts'
import { redis } from './measure/redis.ts'
import { search } from './measure/search.ts'
import { secrets } from './measure/secrets.ts'
import { start } from './measure/start.ts'
import { statements } from './measure/statements.ts'
import { telegram } from './measure/telegram.ts'
import { tool } from './measure/tool.ts'
import { turn } from './measure/turn.ts'
import { warm } from './measure/warm.ts'
import type { Figure } from './support/figure.ts'
import type { Measurement } from './support/measurement.ts'
import { toTable } from './support/table.ts'

interface Group {
  readonly name: string
  readonly about: string
  /** The load average of the last minute, when it was done: above the number of cores others were at work too. */
  readonly load: number
  readonly figures: readonly Figure[]
}

const all: readonly Measurement[] = [
  packed,
  start,
  turn,
  redis,
  tool,
  boxes,
  warm,
  search,
  secrets,
  gate,
  output,
  many,
  telegram,
  outside,
  memory,
  statements,
  apart,
  audit,
  chatLoad,
]
const names = all.map(({ name }) => name).join(', ')
const long = all.flatMap(({ name, isLong }) => (isLong === true ? [name] : [])).join(', ')

const help = `npm run bench -- [--json] [--quick] [measurement …]

Measures this product on this machine. Measurements: ${names}; by default all but
${long}, which take many minutes.
  soak [minutes]  instead of them: seven processes under steady load, 30 minutes by default
  --json   prints the figures as one JSON document
  --quick  fewer runs: a look, not a result
`

const machine = {
  date: new Date().toISOString(),
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
}

const { values, positionals } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})

const unknown = positionals.filter((name) => all.every((measurement) => measurement.name !== name))
if (positionals[0] === 'soak' && !values.help) {
  const { soak } = await import('./soak.ts')
  await soak(Number(positionals[1] ?? 30))
} else if (values.help || unknown.length > 0) {
  process.stdout.write(help)
  process.exitCode = values.help ? 0 : 2
} else await run()

async function run(): Promise<void> {
  const chosen = all.filter(({ name, isLong }) =>
    positionals.length === 0 ? isLong !== true : positionals.includes(name),
  )
  const effort = { scale: values.quick ? 0.2 : 1 }
  const groups: Group[] = []
  for (const { name, about, measure } of chosen) {
    const figures = await measure(effort)
    const group = { name, about, load: load(), figures }
    groups.push(group)
    if (!values.json) process.stdout.write(`\n${describedGroup(group)}\n`)
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ machine, groups }, null, 2)}\n`)
  else process.stdout.write(`\n${describedMachine()}\n`)
}

function describedGroup({ name, about, load, figures }: Group): string {
  return `${name}: ${about} (load ${load.toFixed(1)})\n${toTable(figures)}`
}

function describedMachine(): string {
  const { date, node, platform, cpu, cores } = machine
  return `${date}, Node ${node}, ${platform}, ${cores} × ${cpu}`
}

function load(): number {
  return loadavg()[0] ?? 0
}
