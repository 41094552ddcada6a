import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser'
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** Who may import whom, beside itself; docs/explanation/architecture.md explains the table, docs/decisions/ what is unusual in it. */
const base = ['domain', 'shared', 'util']
const state = ['db', 'ports', ...base]
/** What all rooms of the core are given: the files beside them, and who somebody is. */
const context = 'core/[\\w-]+\\.ts$'
const core = [context, 'core/people', ...state]
const adapter = ['ports', ...base]
const mayImport: Readonly<Record<string, readonly string[]>> = {
  util: [],
  shared: [],
  domain: ['shared', 'util'],
  ports: ['domain'],
  config: ['rules/tools', ...base],
  db: base,
  'rules/tools': base,
  'rules/jobs': base,
  'rules/output': base,
  'rules/web': base,
  'rules/gate': ['rules/(tools|web)', ...base],
  [context]: state,
  'core/people': [context, ...state],
  'core/audit': ['rules/tools', ...core],
  'core/card': ['core/audit', 'rules/gate', ...core],
  'core/delivery': ['core/card', ...core],
  'core/session': ['core/audit', ...core],
  'core/mcp': ['core/audit', 'rules/(gate|jobs|tools)', ...core],
  'core/call': ['rules', 'core/(session|audit|card|mcp)', ...core],
  'core/approval': ['core/(call|card|audit)', 'rules/(gate|tools|jobs)', ...core],
  'core/turn': ['core/(approval|call|card|session|audit)', 'rules/(gate|tools)', ...core],
  'core/inbox': ['core', 'rules/gate', ...state],
  gateway: ['core', 'adapters/(chat|http)', 'rules/jobs', 'config', ...state],
  agent: ['core', 'rules/(gate|jobs)', 'worker', 'config', ...state],
  worker: ['rules/(jobs|tools|output|web)', ...adapter],
  executor: ['domain', 'shared'],
  'adapters/chat': adapter,
  // The way out of a box: addresses and hosts are judged as for the web tools.
  'adapters/egress': ['rules/web', ...adapter],
  'adapters/http': adapter,
  'adapters/model': adapter,
  'adapters/permissions': adapter,
  'adapters/queue': adapter,
  'adapters/sandbox': adapter,
  'adapters/telemetry': adapter,
  cli: ['app', 'agent', 'gateway', 'core', 'adapters', 'worker', 'config', 'rules', ...state],
  app: ['.*'],
  'main.ts$': ['cli', 'app', 'config', 'util'],
}

/** Where a package may be used, beside `app`. One that is not named here may be used nowhere. */
const homes: Readonly<Record<string, string>> = {
  zod: 'config/|rules/|core/|db/|adapters/|worker/|cli/|gateway/|agent/',
  uuid: 'util/',
  'toml-eslint-parser': 'config/',
  'fastest-levenshtein': 'config/|rules/tools/',
  'jsonc-parser': 'rules/gate/|cli/gate/gate-check',
  '@modelcontextprotocol/client': 'worker/mcp/',
  unbash: 'rules/gate/',
  re2js: 'util/',
  'ipaddr.js': 'rules/web/',
  kysely: 'db/|cli/doctor/',
  pg: 'db/',
  bullmq: 'adapters/queue/',
  ioredis: 'adapters/queue/',
  ai: 'adapters/model/',
  '@ai-sdk': 'adapters/model/',
  'ollama-ai-provider-v2': 'adapters/model/',
  grammy: 'adapters/chat/telegram/|gateway/|cli/doctor/',
  '@slack': 'adapters/chat/slack/',
  mdast: 'adapters/chat/',
  'mdast-util-from-markdown': 'adapters/chat/',
  'mdast-util-gfm': 'adapters/chat/',
  'micromark-extension-gfm': 'adapters/chat/',
  hono: 'adapters/http/|gateway/',
  '@hono': 'adapters/http/',
  undici: 'worker/web/|worker/mcp/',
  cheerio: 'worker/web/',
  execa: 'util/',
  'p-queue': 'worker/|adapters/sandbox/',
  commander: 'cli/',
  pino: 'app/',
  'prom-client': 'adapters/telemetry/',
  '@opentelemetry': 'adapters/telemetry/',
}

/** What of Node's own modules the rooms without an outside world may use; `ports` names types only. */
const nodeModules: Readonly<Record<string, string>> = {
  domain: 'none',
  shared: 'path',
  ports: 'stream',
  rules: 'crypto|path',
  core: 'timers/promises',
}

/** Where programs are started by Node's own module, each with its reason; everywhere else by `util/run-command.ts`. */
const spawning = [
  'executor/',
  'adapters/sandbox/(spawn-box|leftovers)',
  'db/embedded/launch-postmaster',
  'worker/web/page-reader',
]

const forbidden: readonly IForbiddenRuleType[] = [
  ...Object.entries(mayImport).map(([room, others]) => ({
    name: `room ${room}`,
    from: { path: `^src/${folder(room)}` },
    to: { path: '^src/', pathNot: `^src/(${[room, ...others].map(folder).join('|')})` },
  })),
  ...Object.entries(homes).map(([name, home]) => ({
    name: `home of ${name}`,
    from: { path: '^src/', pathNot: `^src/(app/|${home})` },
    to: { path: packages(name) },
  })),
  {
    name: 'package without a home',
    from: { path: '^src/' },
    to: { path: 'node_modules/', pathNot: packages(Object.keys(homes).join('|')) },
  },
  ...Object.entries(nodeModules).map(([room, names]) => ({
    name: `node in ${room}`,
    from: { path: `^src/${room}/` },
    to: { dependencyTypes: ['core' as const], pathNot: `^(node:)?(${names})$` },
  })),
  {
    name: 'child processes',
    from: { path: '^src/', pathNot: `^src/(${spawning.join('|')})` },
    to: { dependencyTypes: ['core'], path: '^(node:)?child_process$' },
  },
  {
    name: 'executor is alone',
    from: { path: '^src/executor/' },
    to: { path: '^src/domain/', dependencyTypesNot: ['type-only' as const] },
  },
  {
    name: 'no way to the database',
    from: { path: '^src/(worker|executor|adapters/(sandbox|egress))/' },
    to: { path: `^src/db/|${packages('kysely|pg')}`, reachable: true },
  },
  {
    name: 'migrations stand still',
    from: { path: '^migrations/' },
    to: { path: '.', pathNot: packages('kysely') },
  },
  {
    name: 'nothing but src',
    from: { path: '^src/' },
    to: { path: '^(test|bench|migrations)/' },
  },
  { name: 'unresolved', from: {}, to: { couldNotResolve: true } },
  { name: 'cycle', from: {}, to: { circular: true } },
]

function folder(room: string): string {
  return room.endsWith('$') ? room : `${room}/`
}

function packages(names: string): string {
  return `node_modules/(@types/)?(${names})/`
}

/** Every broken rule of the tree under `root`, and how many files were read. */
async function examine(root: string): Promise<{ broken: readonly string[]; sources: string[] }> {
  const { output } = await cruise(
    ['src', 'migrations'],
    {
      baseDir: root,
      ruleSet: { forbidden: forbidden.map((rule) => ({ severity: 'error' as const, ...rule })) },
      validate: true,
      doNotFollow: { path: 'node_modules' },
      tsPreCompilationDeps: true,
      tsConfig: { fileName: join(projectRoot, 'tsconfig.json') },
      enhancedResolveOptions: {
        exportsFields: ['exports'],
        conditionNames: ['import', 'node', 'types'],
      },
    },
    undefined,
    { tsConfig: extractTsConfig(join(projectRoot, 'tsconfig.json')) },
  )
  if (typeof output === 'string') throw new Error('expected a result object')
  return { broken: brokenRules(output), sources: output.modules.map(({ source }) => source) }
}

function brokenRules({ summary }: ICruiseResult): readonly string[] {
  return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)
}

const projectRoot = join(import.meta.dirname, '..')

describe('the source', () => {
  let found: Awaited<ReturnType<typeof examine>>
  beforeAll(async () => {
    found = await examine(projectRoot)
  })

  test('ARCH every import follows the table of rooms and packages, and there is no cycle', () => {
    expect(found.broken).toEqual([])
  })

  test('ARCH the graph is not empty, and every file is in a room of the table', () => {
    const own = found.sources.filter((source) => source.startsWith('src/'))
    expect(own.length).toBeGreaterThan(300)
    const rooms = new RegExp(`^src/(${Object.keys(mayImport).map(folder).join('|')})`)
    expect(own.filter((source) => !rooms.test(source))).toEqual([])
  })

  test('THREAT-19 WEB-08 what only tests may switch is not named by the program that is run', async () => {
    const files = await readSources(['app', 'cli'])
    const hooks = /ForTests?\b|\b(asRoot|durable|binaries|nameServers|mayReach)\s*:/
    expect(files.filter(({ text }) => hooks.test(text)).map(({ path }) => path)).toEqual([])
  })

  test('ARCH the rules and the domain read no clock, no chance and no process', async () => {
    const files = await readSources(['rules', 'domain', 'shared'])
    const outside = /\bDate\.now\(|\bnew Date\(\)|\bperformance\.|\bMath\.random\(|\bprocess\./
    expect(files.filter(({ text }) => outside.test(text)).map(({ path }) => path)).toEqual([])
  })

  test('STYLE files are short: none above 300 lines, nine of ten within 200', async () => {
    const lengths = (await readSources(['.'])).map(({ path, text }) => ({
      path,
      lines: text.split('\n').length - 1,
    }))
    expect(lengths.filter(({ lines }) => lines > 300)).toEqual([])
    const sorted = lengths.map(({ lines }) => lines).sort((a, b) => a - b)
    expect(sorted[Math.floor(sorted.length * 0.9)]).toBeLessThanOrEqual(200)
  })

  test('STYLE no folder holds more than 30 files', async () => {
    const files = await readSources(['.'])
    const byFolder = Map.groupBy(files, ({ path }) => path.slice(0, path.lastIndexOf('/')))
    const full = [...byFolder].filter(([, inside]) => inside.length > 30)
    expect(full.map(([name, inside]) => [name, inside.length])).toEqual([])
  })

  test('STYLE only config/env.ts reads the environment, and nothing is exported as default', async () => {
    const files = await readSources(['.'])
    const readers = files.filter(({ text }) =>
      /\bprocess\s*\.\s*env\b|\benv\b.*from 'node:process'/.test(text),
    )
    expect(readers.map(({ path }) => path).sort()).toEqual([
      'config/env.ts',
      // A program of its own, in the box: its driver tells it what it needs by five variables.
      'executor/own-environment.ts',
    ])
    const defaults = files.filter(({ text }) => /^export default\b/m.test(text))
    expect(defaults.map(({ path }) => path)).toEqual([])
  })
})

interface Source {
  /** Below src/. */
  readonly path: string
  readonly text: string
}

async function readSources(rooms: readonly string[]): Promise<readonly Source[]> {
  const src = join(projectRoot, 'src')
  const lists = rooms.map(async (room) => {
    const names = await readdir(join(src, room), { recursive: true })
    return names.filter((name) => name.endsWith('.ts')).map((name) => join(room, name))
  })
  const paths = (await Promise.all(lists)).flat()
  return Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(join(src, path), 'utf8') })),
  )
}

/** Trees that break one rule each: a rule that catches nothing is worse than none. */
const planted: readonly { rule: string; files: Readonly<Record<string, string>> }[] = [
  { rule: 'room util', files: { 'src/util/a.ts': `import '../domain/b.ts'` } },
  { rule: 'room shared', files: { 'src/shared/a.ts': `import '../domain/b.ts'` } },
  { rule: 'room domain', files: { 'src/domain/a.ts': `import '../ports/b.ts'` } },
  { rule: 'room ports', files: { 'src/ports/a.ts': `import type { X } from '../db/b.ts'` } },
  { rule: 'room rules/gate', files: { 'src/rules/gate/a.ts': `import '../jobs/b.ts'` } },
  { rule: 'room rules/web', files: { 'src/rules/web/a.ts': `import '../gate/b.ts'` } },
  { rule: 'room rules/output', files: { 'src/rules/output/a.ts': `import '../../db/b.ts'` } },
  { rule: `room ${context}`, files: { 'src/core/a.ts': `import './audit/b.ts'` } },
  { rule: 'room core/people', files: { 'src/core/people/a.ts': `import '../audit/b.ts'` } },
  { rule: 'room core/call', files: { 'src/core/call/a.ts': `import '../approval/b.ts'` } },
  { rule: 'room core/approval', files: { 'src/core/approval/a.ts': `import '../turn/b.ts'` } },
  { rule: 'room core/turn', files: { 'src/core/turn/a.ts': `import '../inbox/b.ts'` } },
  { rule: 'room core/inbox', files: { 'src/core/inbox/a.ts': `import('../../app/b.ts')` } },
  { rule: 'room core/card', files: { 'src/core/card/a.ts': `import '../call/b.ts'` } },
  { rule: 'room core/delivery', files: { 'src/core/delivery/a.ts': `import '../turn/b.ts'` } },
  { rule: 'room gateway', files: { 'src/gateway/a.ts': `import '../app/b.ts'` } },
  { rule: 'room agent', files: { 'src/agent/a.ts': `import '../adapters/model/b.ts'` } },
  { rule: 'room adapters/chat', files: { 'src/adapters/chat/a.ts': `import '../queue/b.ts'` } },
  {
    rule: 'room adapters/egress',
    files: { 'src/adapters/egress/a.ts': `import '../sandbox/b.ts'` },
  },
  {
    rule: 'room adapters/sandbox',
    files: { 'src/adapters/sandbox/a.ts': `import '../../core/b.ts'` },
  },
  { rule: 'room worker', files: { 'src/worker/a.ts': `import '../rules/gate/b.ts'` } },
  { rule: 'room executor', files: { 'src/executor/a.ts': `import '../util/b.ts'` } },
  { rule: 'room cli', files: { 'src/cli/a.ts': `import '../executor/b.ts'` } },
  { rule: 'home of kysely', files: { 'src/core/turn/a.ts': `import { sql } from 'kysely'` } },
  { rule: 'home of pg', files: { 'src/adapters/queue/a.ts': `import type { Pool } from 'pg'` } },
  { rule: 'home of bullmq', files: { 'src/worker/a.ts': `import('bullmq')` } },
  { rule: 'home of @ai-sdk', files: { 'src/core/turn/a.ts': `import '@ai-sdk/openai'` } },
  { rule: 'home of zod', files: { 'src/executor/a.ts': `import { z } from 'zod'` } },
  { rule: 'package without a home', files: { 'src/app/a.ts': `import 'typescript'` } },
  { rule: 'node in rules', files: { 'src/rules/gate/a.ts': `import { statSync } from 'node:fs'` } },
  { rule: 'node in core', files: { 'src/core/call/a.ts': `import { connect } from 'node:net'` } },
  {
    rule: 'child processes',
    files: { 'src/db/a.ts': `import { exec } from 'node:child_process'` },
  },
  {
    rule: 'executor is alone',
    files: { 'src/executor/a.ts': `import { x } from '../domain/b.ts'\nexport const y = x` },
  },
  {
    rule: 'no way to the database',
    files: {
      'src/worker/a.ts': `import '../util/b.ts'`,
      'src/util/b.ts': `import type { X } from '../db/c.ts'`,
      'src/db/c.ts': 'export interface X { readonly y: 1 }',
    },
  },
  { rule: 'migrations stand still', files: { 'migrations/1.ts': `import '../src/util/b.ts'` } },
  { rule: 'nothing but src', files: { 'src/app/a.ts': `import '../../test/b.ts'` } },
  { rule: 'unresolved', files: { 'src/app/a.ts': `import 'no-such-package'` } },
  {
    rule: 'cycle',
    files: {
      'src/util/a.ts': `import type { B } from './b.ts'\nexport type A = B`,
      'src/util/b.ts': `import type { A } from './a.ts'\nexport type B = A[]`,
    },
  },
]

describe('the rules', () => {
  let scratch: string
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'architecture-'))
  })
  afterAll(() => rm(scratch, { recursive: true }))

  test.each(planted)('ARCH a planted import that breaks “$rule” is found', async (plant) => {
    const { broken } = await examine(await grow(scratch, plant.files))
    expect(broken.filter((line) => line.startsWith(`${plant.rule}: `))).not.toEqual([])
  })

  test('ARCH a tree that breaks nothing is not complained of', async () => {
    const files = {
      'src/worker/a.ts': `import { z } from 'zod'\nimport type { X } from '../domain/b.ts'\nexport const y: X = z`,
      'src/executor/a.ts': `import 'node:fs'\nimport type { X } from '../domain/b.ts'\nexport type Y = X`,
      'src/app/a.ts': `import 'kysely'\nimport '../worker/a.ts'`,
      'src/main.ts': `import './app/a.ts'`,
      'migrations/1.ts': `import { sql } from 'kysely'\nexport const up = sql`,
    }
    const { broken } = await examine(await grow(scratch, files))
    expect(broken).toEqual([])
  })
})

/** A project with these files; what they import is made too, empty. */
async function grow(scratch: string, files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(scratch, 'tree-'))
  await symlink(join(projectRoot, 'node_modules'), join(root, 'node_modules'))
  await mkdir(join(root, 'migrations'))
  await mkdir(join(root, 'src'))
  for (const [path, text] of Object.entries(files)) {
    for (const [, target] of text.matchAll(/'(\.[^']*)'/g)) {
      await put(
        join(root, dirname(path), target ?? ''),
        'export type X = unknown\nexport const x = 1',
      )
    }
  }
  for (const [path, text] of Object.entries(files)) await put(join(root, path), text)
  return root
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
