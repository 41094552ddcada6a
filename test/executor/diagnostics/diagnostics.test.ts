import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { parseTsc } from '../../../src/executor/diagnostics/diagnostics.ts'
import { parseCargo } from '../../../src/executor/diagnostics/parse-cargo.ts'
import { type Client, errorOf, outputOf, startClient } from '../client.ts'

vi.setConfig({ testTimeout: 120_000 })

interface Answer {
  readonly diagnostics: readonly {
    readonly severity: string
    readonly message: string
    readonly file?: string
    readonly line?: number
    readonly col?: number
  }[]
  readonly cut: number
  readonly warnings: readonly string[]
}

const modules = resolve(import.meta.dirname, '../../../node_modules')
let client: Client

beforeEach(() => () => client[Symbol.asyncDispose]())

async function put(path: string, content: string): Promise<string> {
  const file = join(client.workspace, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
  return file
}

async function ask(args: object, extra: Parameters<Client['call']>[2] = {}): Promise<Answer> {
  const outcome = await client.call('diagnostics', { ...args }, { timeoutMs: 100_000, ...extra })
  return JSON.parse(outputOf(outcome)) as Answer
}

const message = (level: string, text: string, line = 1, file = 'src/main.rs') =>
  JSON.stringify({
    reason: 'compiler-message',
    message: {
      level,
      message: text,
      code: { code: 'E0308' },
      spans: [
        { is_primary: false, file_name: 'other.rs', line_start: 9, column_start: 9 },
        { is_primary: true, file_name: file, line_start: line, column_start: 5 },
      ],
    },
  })

describe('tsc', () => {
  test('FILE-09 the real compiler’s errors are returned as entries, for a file or directory, limited by configuration', async () => {
    client = await startClient()
    await symlink(modules, join(client.root, 'node_modules'))
    await put('app/tsconfig.json', '{"compilerOptions": {"strict": true, "types": []}}')
    await put(
      'app/a.ts',
      'export const a: string = 1\n\nlet b: number = a.length.x\nexport { b }\n',
    )
    await put('app/sub/c.ts', 'const f: (x: { y: string }) => void = (x: { y: number }) => {}\nf\n')
    const all = await ask({ kind: 'tsc', path: 'app' })
    expect(all).toMatchObject({ cut: 0, warnings: [] })
    expect(all.diagnostics[0]).toEqual({
      severity: 'error',
      message: "TS2322: Type 'number' is not assignable to type 'string'.",
      file: 'app/a.ts',
      line: 1,
      col: 14,
    })
    expect(all.diagnostics).toHaveLength(3)
    const inner = await ask({ kind: 'tsc', path: 'app/sub/c.ts' })
    expect(inner.diagnostics.map(({ file }) => file)).toEqual(['app/sub/c.ts'])
    expect(inner.diagnostics[0]?.message).toContain('\n')
    const few = await ask({ kind: 'tsc', path: 'app', max_diagnostics: 2 })
    expect([few.diagnostics.length, few.cut]).toEqual([2, 1])
    const ceiling = await ask(
      { kind: 'tsc', path: 'app', max_diagnostics: 9 },
      { maxDiagnostics: 1 },
    )
    expect([ceiling.diagnostics.length, ceiling.cut]).toEqual([1, 2])
  })

  test('FILE-09 a correct project has no entries; one that cannot be read yields a warning', async () => {
    client = await startClient()
    await symlink(modules, join(client.root, 'node_modules'))
    await put('tsconfig.json', '{"compilerOptions": {"types": []}, "include": ["*.ts"]}')
    await put('a.ts', 'export const a = 1\n')
    expect(await ask({ kind: 'tsc' })).toEqual({ diagnostics: [], cut: 0, warnings: [] })
    await put('tsconfig.json', '{"include": ["none/*"]}')
    const [general] = (await ask({ kind: 'tsc' })).diagnostics
    expect(general).toMatchObject({
      severity: 'error',
      message: expect.stringContaining('TS18003'),
    })
    expect(general).not.toHaveProperty('line')
  })
})

describe('cargo', () => {
  test('FILE-09 errors and warnings are returned as entries, each once, by `check` by default', async () => {
    client = await withCargo(`
echo '${message('warning', 'unused', 3)}'
echo '${message('error', 'mismatched types')}'
echo '${message('error', 'mismatched types')}'
echo '${message('note', 'a note')}'
echo '{"reason":"compiler-message","message":{"level":"error","message":"aborting due to 1 previous error","spans":[]}}'
echo '${message('error', 'elsewhere', 1, '/etc/passwd')}'
echo 'not json'
exit 101`)
    await put('Cargo.toml', '')
    const answer = await ask({})
    expect(answer).toEqual({
      diagnostics: [
        { severity: 'warning', message: 'unused [E0308]', file: 'src/main.rs', line: 3, col: 5 },
        {
          severity: 'error',
          message: 'mismatched types [E0308]',
          file: 'src/main.rs',
          line: 1,
          col: 5,
        },
      ],
      cut: 0,
      warnings: [],
    })
  })

  test('FILE-09 without the compiler or a project the list is empty, with a warning', async () => {
    client = await startClient()
    const none = await ask({ kind: 'clippy' })
    expect(none).toMatchObject({
      diagnostics: [],
      warnings: [expect.stringContaining('Cargo.toml')],
    })
    await client[Symbol.asyncDispose]()
    client = await startClient({ env: { PATH: '/nowhere' } })
    await put('Cargo.toml', '')
    await put('tsconfig.json', '{}')
    for (const [kind, program] of [
      ['check', 'cargo'],
      ['tsc', 'tsc'],
    ] as const) {
      expect(await ask({ kind })).toEqual({
        diagnostics: [],
        cut: 0,
        warnings: [
          expect.stringContaining(`${program} is not in this box: [tools.shell] toolchains`),
        ],
      })
    }
  })

  test('FILE-09 a compiler that fails without an entry yields a warning with its output', async () => {
    client = await withCargo('echo "error: could not parse" >&2; exit 101')
    await put('Cargo.toml', '')
    expect((await ask({})).warnings).toEqual([
      'cargo failed (exit code 101): error: could not parse',
    ])
  })

  test('FILE-09 BASH-03 a compiler that does not end is killed with all its processes', async () => {
    client = await withCargo('sleep 1000 & sleep 1000')
    await put('Cargo.toml', '')
    const outcome = await client.call('diagnostics', {}, { timeoutMs: 500 })
    expect(errorOf(outcome).category).toBe('timeout')
  })

  test('FILE-09 an unknown kind and a path outside are refused', async () => {
    client = await startClient()
    expect(errorOf(await client.call('diagnostics', { kind: 'make' })).category).toBe(
      'invalid_parameters',
    )
    expect(errorOf(await client.call('diagnostics', { path: '/etc' })).category).toBe(
      'policy_blocked',
    )
  })

  const cargo = join(process.env['HOME'] ?? '/root', '.cargo/bin')
  test.skipIf(!existsSync(join(cargo, 'cargo')))(
    'FILE-09 BASH-12 the real cargo, found in a toolchain',
    async () => {
      client = await startClient({ env: { PATH: '/usr/bin:/bin' } })
      await put('Cargo.toml', '[package]\nname = "t"\nversion = "0.1.0"\nedition = "2021"\n')
      await put('src/main.rs', 'fn main() {\n  let x: i32 = "a";\n}\n')
      const {
        HOME = '',
        RUSTUP_HOME = `${HOME}/.rustup`,
        CARGO_HOME = `${HOME}/.cargo`,
      } = process.env
      const answer = await ask({}, { env: { PATH: cargo, RUSTUP_HOME, CARGO_HOME } })
      expect(answer.diagnostics[0]).toMatchObject({
        severity: 'error',
        file: 'src/main.rs',
        line: 2,
      })
    },
  )
})

/** Starts a box whose PATH begins with a program called cargo that runs this script. */
async function withCargo(script: string): Promise<Client> {
  const bin = await mkdtemp(join(tmpdir(), 'countersign-bin-'))
  onTestFinished(() => rm(bin, { recursive: true }))
  await writeFile(join(bin, 'cargo'), `#!/bin/bash\n${script}\n`)
  await chmod(join(bin, 'cargo'), 0o755)
  return startClient({ env: { PATH: `${bin}:/usr/bin:/bin` } })
}

test('FILE-09 any compiler output is parsed without an error', () => {
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().map((json) => `{"reason":"compiler-message","message":${json}}`),
    fc.string().map((text) => `a.ts(1,2): error TS1: ${text}`),
  )
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const text = lines.join('\n')
      for (const found of [...parseCargo(text), ...parseTsc(text)]) {
        expect(found.message.length).toBeLessThanOrEqual(2001)
      }
    }),
  )
})
