import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { openToolRunner, type ToolRunner } from '../../src/cli/tools/open-tool-runner.ts'
import { Environment } from '../../src/config/env.ts'
import { loadConfig } from '../../src/config/load.ts'
import { formatProblems } from '../../src/config/problems.ts'

type DefineTest = (title: string, body: () => Promise<void>) => void

export interface CommandBoxUnderTest {
  readonly name: 'bubblewrap' | 'docker'
  /** Variables by which the driver is chosen and reached. */
  readonly settings: () => Readonly<Record<string, string>>
  readonly test: DefineTest
}

/** Directories of the host, a configured workspace among them; what is asked of the runner ends with it. */
export interface RunnerPlace extends AsyncDisposable {
  readonly workspace: string
  /** A directory beside it, with a file `word` that holds its name. */
  beside(name: string): Promise<string>
  open(settings: Readonly<Record<string, string>>): Promise<Asked>
}

/** Answers what a tool said, its failure's category and words included. */
type Asked = (tool: string, args: object) => Promise<string>

export async function makeRunnerPlace(): Promise<RunnerPlace> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-reach-')))
  await chmod(dir, 0o755)
  const workspace = join(dir, 'ws')
  await mkdir(workspace)
  const runners: ToolRunner[] = []
  return {
    workspace,
    beside: async (name) => {
      const path = join(dir, name)
      await mkdir(path)
      await chmod(path, 0o777)
      await writeFile(join(path, 'word'), `the word of ${name}`)
      return path
    },
    open: async (settings) => {
      const environment = new Environment({
        PATH: process.env['PATH'],
        COUNTERSIGN_WORKER_WORKSPACE: workspace,
        COUNTERSIGN_DATA_DIR: join(dir, 'data'),
        ...settings,
      })
      const loaded = loadConfig({ cwd: dir, environment })
      if (loaded.kind === 'invalid') throw new Error(formatProblems(loaded.problems))
      const runner = await openToolRunner({ config: loaded.config, environment })
      runners.push(runner)
      return async (tool, args) => {
        const outcome = await runner.run(tool, JSON.stringify(args))
        if (outcome.kind === 'succeeded') return outcome.output
        if (outcome.kind !== 'failed') return outcome.kind
        return `${outcome.error.category}: ${outcome.error.message} ${outcome.output ?? ''}`
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const runner of runners) await runner[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export const files = 'COUNTERSIGN_TOOLS_FILE_ALLOWED_PATHS'
export const commands = 'COUNTERSIGN_TOOLS_SHELL_ALLOWED_PATHS'

/** What every driver that confines keeps where commands may reach other places than file tools (BASH-10). */
export function commandBoxContract({ name, settings, test }: CommandBoxUnderTest): void {
  describe(`commands and files apart in ${name}`, () => {
    test('BASH-10 commands reach what they are given, file tools what they are, and both the workspace', async () => {
      await using here = await makeRunnerPlace()
      const [ours, theirs] = [await here.beside('files'), await here.beside('commands')]
      const ask = await here.open({
        ...settings(),
        [files]: `${here.workspace},${ours}`,
        [commands]: `${here.workspace},${theirs}`,
      })
      expect(await ask('write', { path: 'note', content: 'written\n' })).toContain('Wrote')
      expect(await ask('bash', { command: 'cat note; echo more >> note' })).toContain('written')
      expect(await ask('read', { path: 'note' })).toContain('more')
      expect(await ask('read', { path: `${ours}/word` })).toContain('the word of files')
      expect(await ask('read', { path: `${theirs}/word` })).toContain('policy_blocked')
      const bash = (path: string) => ask('bash', { command: `cat ${path}/word; ls ${path}` })
      expect(await bash(theirs)).toContain('the word of commands')
      expect(await bash(ours)).not.toContain('the word')
      expect(await ask('bash', { command: `echo x > ${theirs}/made && echo done` })).toContain(
        'done',
      )
      // What starts a compiler is a command too.
      expect(await ask('diagnostics', { kind: 'tsc', path: theirs })).toContain('no tsconfig.json')
      expect(await ask('diagnostics', { kind: 'tsc', path: ours })).toContain('policy_blocked')
    })

    test('BASH-10 of a workspace that is not theirs commands see the folders that are, and nothing else', async () => {
      await using here = await makeRunnerPlace()
      await writeFile(join(here.workspace, 'private'), 'the private word')
      const ask = await here.open({ ...settings(), [commands]: 'src,a/b' })
      expect(await ask('write', { path: 'src/x', content: 'in src' })).toContain('Wrote')
      const look = 'pwd; cat src/x; find . | sort; cat private; echo x > new; echo y > a/b/made'
      const said = await ask('bash', { command: look })
      const seen = [here.workspace, 'in src.', './a', './a/b', './src', './src/x']
      expect(said.split('\n').slice(0, seen.length)).toEqual(seen)
      expect(said).not.toContain('the private word')
      expect(said).toContain('Read-only file system')
      expect(await ask('read', { path: 'private' })).toContain('the private word')
      expect((await readdir(here.workspace)).sort()).toEqual(['a', 'private', 'src'])
      expect(await readFile(join(here.workspace, 'a/b/made'), 'utf8')).toBe('y\n')
      const background = await ask('bash', { command: 'sleep 1', background: true })
      expect(background).toContain('policy_blocked')
    })

    test('BASH-10 THREAT-1 a link in the place of a folder that commands may reach is not mounted', async () => {
      await using here = await makeRunnerPlace()
      const outside = await here.beside('outside')
      await symlink(outside, join(here.workspace, 'src'))
      const ask = await here.open({ ...settings(), [commands]: 'src' })
      expect(await ask('bash', { command: 'cat src/word' })).toMatch(/^server_error: .*no folder/)
      const named = await here.open({ ...settings(), [commands]: join(here.workspace, 'src') })
      expect(await named('bash', { command: 'cat src/word' })).toContain('no folder')
    })
  })
}
