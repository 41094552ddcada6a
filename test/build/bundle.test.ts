import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isCurrent } from '../../build/made-folder.ts'
import { product, root } from '../../build/product.ts'
import manifest from '../../package.json' with { type: 'json' }
import { runProgram } from '../cli/run-program.ts'
import { executorFolder, mainProgram } from '../support/run/programs.ts'

const dist = join(root, product.dir)

/** Files that went into a file of the bundle, from the root of the checkout. */
function sourcesOf(file: string): readonly string[] {
  const map = `${file}.map`
  if (!existsSync(map)) return []
  const { sources }: { sources: readonly string[] } = JSON.parse(readFileSync(map, 'utf8'))
  return sources.map((source) => resolve(map, '..', source).slice(root.length + 1))
}

function packagesIn(files: readonly string[]): ReadonlySet<string> {
  const sources = files.flatMap(sourcesOf)
  const names = sources.map((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1])
  return new Set(names.filter((name) => name !== undefined))
}

function filesOfBundle(): readonly string[] {
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => /\.m?js$/.test(name)).map((name) => join(dist, name))
}

describe('the bundle that tests and people run', () => {
  test('SHIP-01 is of the sources that are here, and of nothing else but installed packages', () => {
    expect(isCurrent(product)).toBe(true)
    const sources = [...new Set(filesOfBundle().flatMap(sourcesOf))]
    expect(sources.length).toBeGreaterThan(1_000)
    const counted = ['node_modules', ...product.sources]
    const others = sources.filter(
      (source) => !counted.some((each) => `${source}/`.startsWith(`${each}/`)),
    )
    expect(others).toEqual([])
  })

  test('SHIP-01 holds each step of the database under its own name', () => {
    const steps = readdirSync(join(dist, 'migrations')).filter((name) => name.endsWith('.js'))
    const ours = readdirSync(join(root, 'migrations')).filter((name) => name.endsWith('.ts'))
    expect(steps.map((name) => basename(name, '.js'))).toEqual(
      ours.map((name) => basename(name, '.ts')),
    )
  })

  test.each(['main.mjs', 'serve-behind-proxy.mjs'])(
    'SHIP-01 BOX-02 MCP-04 gives boxes %s, one file that imports nothing but Node',
    (name) => {
      const code = readFileSync(join(executorFolder, name), 'utf8')
      const imported = [...code.matchAll(/\b(?:from|import)\s*["']([^"']+)["']/g)]
      expect(imported.length).toBeGreaterThan(5)
      expect(code).not.toMatch(/\b(?:import|require)\(/)
      expect(imported.map(([, name]) => name).filter((name) => !name?.startsWith('node:'))).toEqual(
        [],
      )
      expect(packagesIn([join(executorFolder, name)])).toEqual(new Set())
    },
  )

  test('SHIP-01 BOX-02 gives boxes nothing else', () => {
    const programs = readdirSync(executorFolder).filter((name) => !name.endsWith('.map'))
    expect(programs.sort()).toEqual(['main.mjs', 'serve-behind-proxy.mjs'])
  })

  test('SHIP-02 holds no declaration of a kind that Node 22 lacks', () => {
    const lowered = filesOfBundle().filter((file) => /usingCtx/.test(readFileSync(file, 'utf8')))
    expect(lowered.length).toBeGreaterThan(5)
    const newer = filesOfBundle().filter((file) =>
      /\busing [A-Za-z_$][\w$]*=/.test(readFileSync(file, 'utf8')),
    )
    expect(newer).toEqual([])
  })

  test('SHIP-03 lists the packages that it holds, with version and licence, for scanners and for people', () => {
    const bill = JSON.parse(readFileSync(join(dist, 'sbom.cdx.json'), 'utf8'))
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' })
    const parts: readonly { name: string; version: string; licenses: unknown }[] = bill.components
    const named = new Set(parts.map(({ name }) => name))
    expect([...packagesIn(filesOfBundle())].filter((name) => !named.has(name))).toEqual([])
    const texts = readFileSync(join(dist, 'licenses.txt'), 'utf8')
    for (const { name, version, licenses } of parts) {
      expect(texts).toContain(`${name} ${version} (`)
      expect(licenses, name).toEqual([{ expression: expect.stringMatching(/./) }])
    }
  })

  test('SHIP-01 no test starts the product or the program of boxes from their sources', () => {
    const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    const own = basename(import.meta.filename)
    const sources = /[./}]\/src\/(?:executor\/)?main\.ts|\/product-process\.ts', import/
    const starting = tests
      .filter((name) => name.endsWith('.ts') && !name.endsWith(own))
      .filter((name) => sources.test(readFileSync(join(root, 'test', name), 'utf8')))
    expect(starting).toEqual([])
  })
})

describe('what runs from the bundle', () => {
  let cwd = ''
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'bundle-'))
  })
  afterAll(() => rm(cwd, { recursive: true, force: true }))

  /** The files of the bundle that Node loads for these words of the command line. */
  async function loadedBy(words: readonly string[]): Promise<readonly string[]> {
    const list = join(cwd, 'loaded')
    await writeFile(list, '')
    const hook = join(cwd, 'hook.mjs')
    await writeFile(hook, noteLoaded)
    const child = promisify(execFile)(process.execPath, ['--import', hook, mainProgram, ...words], {
      cwd,
      env: { PATH: process.env['PATH'], HOME: cwd, USER: 'ada', LOADED: list },
    })
    child.child.stdin?.end()
    await child
    const files = (await readFile(list, 'utf8')).split('\n')
    return [...new Set(files)].filter((file) => file.startsWith(dist))
  }

  test('SHIP-01 a terminal loads no chat platform, SDK of a model, exporter or web tool, though the bundle has them', async () => {
    const loaded = packagesIn(await loadedBy(['start']))
    expect([...loaded]).toContain('kysely')
    const byNeed = [
      ...['@slack/bolt', '@slack/web-api', 'grammy', 're2js', 'cheerio', 'undici'],
      ...['@ai-sdk/anthropic', '@ai-sdk/openai', '@ai-sdk/openai-compatible'],
      ...['ollama-ai-provider-v2', '@opentelemetry/sdk-trace'],
    ]
    expect(byNeed.filter((name) => loaded.has(name))).toEqual([])
    const all = packagesIn(filesOfBundle())
    expect(byNeed.filter((name) => !all.has(name))).toEqual([])
  })

  test('SHIP-06 the version is said without loading any command', async () => {
    const files = await loadedBy(['--version'])
    expect(files.length).toBeLessThan(4)
    expect([...packagesIn(files)]).toEqual([])
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    for (const option of ['--version', '-V'])
      expect(await runProgram([option], { cwd })).toEqual({
        exitCode: 0,
        stdout: `${version}\n`,
        stderr: '',
      })
  })

  test('SHIP-06 help is said without loading the product, which takes few files to load', async () => {
    const help = await loadedBy(['--help'])
    expect(help.length).toBeLessThan(9)
    expect([...packagesIn(help)]).toEqual(['commander'])
    expect((await loadedBy(['start'])).length).toBeLessThan(50)
  })

  test('SHIP-06 no module of Node is imported that loads an HTTP client or HTTP/2 with it', () => {
    const named = filesOfBundle().filter((file) =>
      /(?:from|import)\s*["'](?:node:)?http2?["']/.test(readFileSync(file, 'utf8')),
    )
    expect(named).toEqual([])
  })

  test('SHIP-06 compiled code is kept in a data directory that is ours alone, for this version alone', async () => {
    const dataDir = join(cwd, 'compiled')
    const kept = join(dataDir, 'cache/compiled')
    const environment = { COUNTERSIGN_DATA_DIR: dataDir, NODE_COMPILE_CACHE: '' }
    const help = () => runProgram(['gate', '--help'], { cwd, environment })
    await help()
    expect(existsSync(dataDir)).toBe(false)
    await mkdir(join(kept, '0.0.1/v24'), { recursive: true })
    await chmod(dataDir, 0o777)
    await help()
    expect(readdirSync(kept)).toEqual(['0.0.1'])
    await chmod(dataDir, 0o700)
    await help()
    expect(readdirSync(kept)).toEqual([manifest.version])
    expect(readdirSync(join(kept, manifest.version), { recursive: true }).length).toBeGreaterThan(3)
  })

  test('SHIP-01 a bundle that lacks a file, or has one cut short, says so at its start instead of hours later', async () => {
    const copy = join(cwd, 'copy')
    await cp(dist, join(copy, 'dist'), {
      recursive: true,
      filter: (name) => !name.endsWith('.map'),
    })
    const start = () =>
      promisify(execFile)(process.execPath, [join(copy, 'dist/main.js'), 'gate', '--help'])
    expect((await start()).stdout).toContain('Usage')
    await writeFile(join(copy, 'dist/re2js.js'), '')
    await expect(start()).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/not whole \(re2js\.js\): install it again/),
    })
    await rm(join(copy, 'dist/executor'), { recursive: true })
    await expect(start()).rejects.toMatchObject({
      stderr: expect.stringMatching(/not whole \(executor\/main\.mjs and 2 others\)/),
    })
  })

  test('SHIP-01 GATE-12 the bundle and all of its installation belong to the product', async () => {
    for (const file of ['dist/main.js', 'node_modules/x', 'package.json']) {
      const { stdout } = await runProgram(['gate', 'explain', `cat ${join(root, file)}`], { cwd })
      expect(stdout).toContain('belongs to the product itself; no tool may touch it')
    }
  })

  test('SHIP-01 POL-01 regular expressions of the configuration find their engine', async () => {
    const rule = 'effect = "deny"\ntool = "bash"\nargs_match = "secret-[0-9]+"\n'
    await writeFile(
      join(cwd, 'countersign.toml'),
      `[tools.policy]\nenabled = true\ndefault_effect = "allow"\n[[tools.policy.rules]]\n${rule}`,
    )
    const { stdout } = await runProgram(['gate', 'explain', 'echo secret-42'], { cwd })
    expect(stdout).toMatch(/^deny/)
    await rm(join(cwd, 'countersign.toml'))
  })

  test('SHIP-01 OUT-09 WEB-01 programs of threads and processes do their work', async () => {
    const content = 'one\ntwo\nthree\n'
    const input = { content, pattern: '^t[a-z]+', offset: 0, limit: 9, column: 0, room: 99 }
    const module = pathToFileURL(join(dist, 'show-overflow.js')).href
    const workerData = { module, name: 'showOverflow', input }
    const search = new Worker(join(dist, 'thread-program.js'), { workerData })
    expect(await firstWord(search)).toMatchObject({
      text: expect.stringMatching(/2: two\n3: three/),
    })
    const page = fork(join(dist, 'page-process.js'), ['serve-pages'])
    page.send({ kind: 'check', select: 'a > b' })
    expect((await once(page, 'message'))[0]).toEqual({ kind: 'ok', output: '' })
    page.kill()
  })
})

async function firstWord(thread: Worker): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  thread.once('message', resolve).once('error', reject)
  try {
    return await promise
  } finally {
    await thread.terminate()
  }
}

const noteLoaded = `
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
registerHooks({ load(url, context, next) {
  if (url.startsWith('file:')) appendFileSync(process.env.LOADED, fileURLToPath(url) + '\\n')
  return next(url, context)
} })`
