import type { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import type { Environment } from '../config/env.ts'
import { CommandError } from '../domain/command-error.ts'
import type { Invocation } from './invocation.ts'
import { oneLineJson, print } from './print.ts'

interface Options {
  readonly json?: true
  readonly check?: true
}

export function addVersionCommand(program: Command, invocation: Invocation): void {
  program
    .command('version')
    .description('Print the versions of Countersign and of Node.')
    .option('--json', 'as a JSON object')
    .option('--check', 'ask npm for the newest version (never done otherwise)')
    .addHelpText('after', help)
    .action(async ({ json, check }: Options) => {
      const newest = check === true ? await newestVersion(invocation.environment) : undefined
      const isOld = newest !== undefined && isNewer(newest, packageVersion())
      if (isOld) invocation.exitCode = 1
      const { node } = process.versions
      const machine = `${process.platform}-${process.arch}`
      const versions = { countersign: packageVersion(), node, machine, newest }
      if (json === true) return await print(`${oneLineJson(versions)}\n`)
      const found = newest === undefined ? '' : newestLine(newest, isOld)
      await print(`countersign ${packageVersion()}\nnode ${node} (${machine})\n${found}`)
    })
}

/** The version in package.json. */
export function packageVersion(): string {
  return manifest.version
}

function newestLine(newest: string, isOld: boolean): string {
  return isOld ? `${newest} is out; CHANGELOG.md says what changed\n` : 'it is the newest version\n'
}

/** Asks npm, with the registry, proxy and credentials that it is configured with. Throws a CommandError where it has no answer. */
async function newestVersion(environment: Environment): Promise<string> {
  const { runCommand } = await import('../util/run-command.ts')
  const names = environment.names().filter((name) => ofNpm.test(name))
  const env = Object.fromEntries(names.map((name) => [name, environment.get(name) ?? '']))
  const words = ['view', manifest.name, 'version', '--loglevel=error']
  const answer = await runCommand('npm', words, { env, timeout: 15_000 }).catch(
    (cause: unknown) => {
      throw new CommandError('npm could not be asked for the newest version', {
        code: 'NPM_FAILED',
        cause,
      })
    },
  )
  if (/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/.test(answer.trim())) return answer.trim()
  throw new CommandError('npm knows no version of countersign', { code: 'NPM_FAILED' })
}

const ofNpm = /^(?:PATH|HOME|SSL_CERT_FILE|NODE_EXTRA_CA_CERTS|npm_config_.*|(?:https?|no)_proxy)$/i

/** Whether `left` is the later release of two. Versions that npm calls newest have no suffix for test releases. */
function isNewer(left: string, right: string): boolean {
  return left.localeCompare(right, 'en', { numeric: true }) > 0
}

const help = `
  $ npx countersign version --check

Exit codes: 0 printed, 1 with --check: a newer version is out, or npm could not be asked.`
